-- Settles recipients in doubt: they go to the retry list, to be sent again.
-- {recipient} and {outcome} the run's tables; $1 run bigint, $2 phase smallint, $3 worker integer,
-- $4 lease in seconds integer. One row: whether the worker still holds the run, how many.
-- Reads only what was announced in slices that are not done.
WITH fence AS (
    UPDATE sortie.worker
    SET heartbeat_at = clock_timestamp(),
        lease_expires_at = clock_timestamp() + make_interval(secs => $4::integer)
    WHERE id = $3::integer AND ended_at IS NULL
    RETURNING id
), doubt AS MATERIALIZED (
    -- Announced in a slice, neither recorded nor parked.
    SELECT r.ordinal, s.number AS slice, 0::smallint AS attempts
    FROM fence, sortie.slice AS s
    JOIN {recipient} AS r ON r.ordinal BETWEEN s.first_ordinal AND s.sending_through
    WHERE s.run_id = $1::bigint AND s.phase = $2::smallint AND s.state <> 'done'
        AND (r.probe OR s.phase = 2)
        AND NOT EXISTS (SELECT FROM {outcome} AS o
            WHERE o.phase = $2::smallint AND o.ordinal = r.ordinal)
        AND NOT EXISTS (SELECT FROM sortie.retry AS t
            WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.ordinal = r.ordinal)
    UNION ALL
    -- Announced from the retry list.
    SELECT t.ordinal, NULL, t.attempts
    FROM fence, sortie.retry AS t
    WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.announced
), progress AS (
    UPDATE sortie.slice AS s
    SET recorded = s.recorded + d.count,
        state = CASE WHEN s.recorded + d.count = s.size THEN 'done' ELSE s.state END
    FROM (SELECT slice, count(*) FROM doubt WHERE slice IS NOT NULL GROUP BY slice) AS d
    WHERE s.run_id = $1::bigint AND s.phase = $2::smallint AND s.number = d.slice
), parked AS (
    INSERT INTO sortie.retry AS t (run_id, phase, ordinal, attempts, cause, not_before)
    SELECT $1::bigint, $2::smallint, ordinal, attempts + 1, 4, now()
    FROM doubt
    ON CONFLICT ON CONSTRAINT retry_pkey DO UPDATE
    SET attempts = excluded.attempts, cause = excluded.cause, reason = NULL,
        not_before = excluded.not_before, announced = false
)
SELECT EXISTS (SELECT FROM fence), (SELECT count(*) FROM doubt)
