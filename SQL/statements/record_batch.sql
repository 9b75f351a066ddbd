-- Everything that a batch changes but the outcome rows themselves. Every part depends on the fence:
-- the worker's own row, updated first, which is waited for if somebody is evicting the worker.
-- Batch ids rise, so that a statement of a lost connection that the server gets to late changes
-- nothing.
-- $1 run bigint, $2 phase smallint, $3 worker integer, $4 batch id bigint, $5 lease in seconds
-- integer; by slice: $6 number int[], $7 newly recorded int[], $8 new mark int[] (0: as it is);
-- $9 parked ordinals that have an outcome int[], $10 parked ordinals that may be sent now int[];
-- by recipient to park: $11 ordinal int[], $12 attempts int[], $13 cause int[], $14 reason text[],
-- $15 not before bigint[] in microseconds since 1970; by tally: $16 outcome int[], $17 reason
-- text[], $18 count bigint[]; $19 whether what the worker saw lets tokens be marked boolean.
-- One row: recorded, repeated (this batch is recorded already) or lost (the worker has ended).
WITH fence AS (
    UPDATE sortie.worker
    SET last_batch = $4::bigint, heartbeat_at = clock_timestamp(), allows_marking = $19::boolean,
        lease_expires_at = clock_timestamp() + make_interval(secs => $5::integer)
    WHERE id = $3::integer AND ended_at IS NULL AND last_batch < $4::bigint
        -- An announcement must outlive a crash of the server, whatever the role's setting.
        AND (current_setting('synchronous_commit') <> 'off'
            OR set_config('synchronous_commit', 'on', true) = 'on')
    RETURNING id
), progress AS (
    UPDATE sortie.slice AS s
    SET recorded = s.recorded + p.recorded,
        sending_through = greatest(s.sending_through, p.through),
        state = CASE WHEN s.recorded + p.recorded = s.size THEN 'done' ELSE s.state END
    FROM fence, unnest($6::integer[], $7::integer[], $8::integer[])
        AS p (number, recorded, through)
    WHERE s.run_id = $1::bigint AND s.phase = $2::smallint AND s.number = p.number
), unparked AS (
    DELETE FROM sortie.retry AS t USING fence
    WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.ordinal = ANY ($9::integer[])
), announced AS (
    UPDATE sortie.retry AS t SET announced = true FROM fence
    WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.ordinal = ANY ($10::integer[])
), parked AS (
    INSERT INTO sortie.retry AS t (run_id, phase, ordinal, attempts, cause, reason, not_before)
    SELECT $1::bigint, $2::smallint, p.ordinal, p.attempts, p.cause, p.reason,
        'epoch'::timestamptz + p.not_before * interval '1 microsecond'
    FROM fence, unnest($11::integer[], $12::smallint[], $13::smallint[], $14::text[],
        $15::bigint[]) AS p (ordinal, attempts, cause, reason, not_before)
    ON CONFLICT ON CONSTRAINT retry_pkey DO UPDATE
    SET attempts = excluded.attempts, cause = excluded.cause, reason = excluded.reason,
        not_before = excluded.not_before, announced = false, worker_id = NULL
), batch AS (
    SELECT p.outcome, p.reason, p.count
    FROM fence, unnest($16::smallint[], $17::text[], $18::bigint[]) AS p (outcome, reason, count)
), tallied AS (
    INSERT INTO sortie.tally AS t (run_id, phase, worker_id, outcome, reason, count)
    SELECT $1::bigint, $2::smallint, $3::integer, outcome, reason, sum(count)
    FROM batch GROUP BY outcome, reason
    ON CONFLICT ON CONSTRAINT tally_pkey DO UPDATE SET count = t.count + excluded.count
), tallied_minute AS (
    INSERT INTO sortie.tally_minute AS t (run_id, phase, worker_id, minute, outcome, count)
    SELECT $1::bigint, $2::smallint, $3::integer, date_trunc('minute', now()), outcome, sum(count)
    FROM batch GROUP BY outcome
    ON CONFLICT ON CONSTRAINT tally_minute_pkey DO UPDATE SET count = t.count + excluded.count
)
SELECT CASE
    WHEN EXISTS (SELECT FROM fence) THEN 'recorded'
    WHEN EXISTS (SELECT FROM sortie.worker
        WHERE id = $3::integer AND last_batch >= $4::bigint) THEN 'repeated'
    ELSE 'lost'
END
