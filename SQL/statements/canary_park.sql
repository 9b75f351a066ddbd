-- Parks the recipients that go before all others of the main send, unless one of those others may
-- have gone already. Doing it again parks nobody twice.
-- {outcome} the run's table; $1 run bigint, $2 worker integer, $3 lease in seconds integer,
-- $4 ordinals integer[], $5 not before bigint in microseconds since 1970.
-- One row: whether the worker still holds the run; whether the main send has begun; how many were
-- parked.
WITH fence AS (
    UPDATE sortie.worker
    SET heartbeat_at = clock_timestamp(),
        lease_expires_at = clock_timestamp() + make_interval(secs => $3::integer)
    WHERE id = $2::integer AND ended_at IS NULL
    RETURNING id
), begun AS (
    SELECT EXISTS (SELECT FROM sortie.slice
        WHERE run_id = $1::bigint AND phase = 2 AND sending_through >= first_ordinal) AS is_so
), chosen AS MATERIALIZED (
    SELECT c.ordinal, s.number
    FROM fence, begun, unnest($4::integer[]) AS c (ordinal)
    JOIN sortie.slice AS s ON s.run_id = $1::bigint AND s.phase = 2
        AND c.ordinal BETWEEN s.first_ordinal AND s.last_ordinal
    WHERE NOT begun.is_so
        AND NOT EXISTS (SELECT FROM {outcome} AS o WHERE o.phase = 2 AND o.ordinal = c.ordinal)
        AND NOT EXISTS (SELECT FROM sortie.retry AS t
            WHERE t.run_id = $1::bigint AND t.phase = 2 AND t.ordinal = c.ordinal)
), progress AS (
    UPDATE sortie.slice AS s
    SET recorded = s.recorded + d.count,
        state = CASE WHEN s.recorded + d.count = s.size THEN 'done' ELSE s.state END
    FROM (SELECT number, count(*) FROM chosen GROUP BY number) AS d
    WHERE s.run_id = $1::bigint AND s.phase = 2 AND s.number = d.number
), parked AS (
    INSERT INTO sortie.retry (run_id, phase, ordinal, attempts, cause, not_before)
    SELECT $1::bigint, 2, ordinal, 0, 6,
        'epoch'::timestamptz + $5::bigint * interval '1 microsecond'
    FROM chosen
)
SELECT EXISTS (SELECT FROM fence), (SELECT is_so FROM begun), (SELECT count(*) FROM chosen)
