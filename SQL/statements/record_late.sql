-- Records what an evicted worker learnt too late, where it says more than the doubt that was
-- settled: an answer in place of an outcome that stands for no answer, or of a place in the retry
-- list that nobody has claimed. Everything else is left as it is, so doing it again changes
-- nothing. {outcome} the run's table; $1 run bigint, $2 phase smallint, $3 the evicted worker
-- integer; by answer: $4 ordinal int[], $5 outcome int[], $6 status int[], $7 reason text[], $8
-- attempts int[], $9 connection int[], $10 latency int[] in microseconds, $11 sent at bigint[] and
-- $12 APNs' timestamp bigint[], microseconds since 1970 (0: none), $13 APNs' id text[]. One row:
-- outcomes replaced, parked recipients taken out.
WITH ended AS (
    SELECT id FROM sortie.worker WHERE id = $3::integer AND ended_at IS NOT NULL
), late AS MATERIALIZED (
    SELECT p.ordinal, p.outcome, p.status, p.reason, p.attempts, p.connection, p.latency,
        CASE WHEN p.sent <> 0 THEN 'epoch'::timestamptz + p.sent * interval '1 microsecond' END
            AS sent_at,
        CASE WHEN p.stamp <> 0 THEN 'epoch'::timestamptz + p.stamp * interval '1 microsecond' END
            AS apns_timestamp, p.apns_id
    FROM ended, unnest($4::integer[], $5::smallint[], $6::smallint[], $7::text[], $8::smallint[],
        $9::smallint[], $10::integer[], $11::bigint[], $12::bigint[], $13::uuid[])
        AS p (ordinal, outcome, status, reason, attempts, connection, latency, sent, stamp, apns_id)
), replaced AS (
    UPDATE {outcome} AS o
    SET outcome = l.outcome, status = l.status, reason = l.reason, attempts = l.attempts,
        connection = l.connection, latency_us = l.latency, sent_at = l.sent_at,
        apns_timestamp = l.apns_timestamp, apns_id = l.apns_id
    FROM late AS l
    WHERE o.phase = $2::smallint AND o.ordinal = l.ordinal AND o.worker_id = $3::integer
        AND o.outcome = 3 AND o.reason = sortie.lost_worker_reason()
    RETURNING l.outcome, l.reason
), unparked AS (
    DELETE FROM sortie.retry AS t USING late AS l
    WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.ordinal = l.ordinal
        AND t.worker_id IS NULL
    RETURNING t.ordinal
), added AS (
    INSERT INTO {outcome} (run_id, ordinal, latency_us, worker_id, phase, outcome, status, attempts,
        connection, reason, sent_at, apns_timestamp, apns_id)
    SELECT $1::bigint, l.ordinal, l.latency, $3::integer, $2::smallint, l.outcome, l.status,
        l.attempts, l.connection, l.reason, l.sent_at, l.apns_timestamp, l.apns_id
    FROM late AS l JOIN unparked AS u ON u.ordinal = l.ordinal
    RETURNING outcome, reason
), change AS (
    SELECT outcome, coalesce(reason, '') AS reason, count(*) AS count
    FROM (SELECT * FROM replaced UNION ALL SELECT * FROM added) AS x
    GROUP BY 1, 2
), tallied AS (
    INSERT INTO sortie.tally AS t (run_id, phase, worker_id, outcome, reason, count)
    SELECT $1::bigint, $2::smallint, $3::integer, outcome, reason, count FROM change
    ON CONFLICT ON CONSTRAINT tally_pkey DO UPDATE SET count = t.count + excluded.count
), untallied AS (
    UPDATE sortie.tally AS t SET count = t.count - r.count
    FROM (SELECT count(*) FROM replaced) AS r
    WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.worker_id = $3::integer
        AND t.outcome = 3 AND t.reason = sortie.lost_worker_reason()
), tallied_minute AS (
    INSERT INTO sortie.tally_minute AS t (run_id, phase, worker_id, minute, outcome, count)
    SELECT $1::bigint, $2::smallint, $3::integer, date_trunc('minute', now()), outcome, sum(count)
    FROM change GROUP BY outcome
    ON CONFLICT ON CONSTRAINT tally_minute_pkey DO UPDATE SET count = t.count + excluded.count
), untallied_minute AS (
    UPDATE sortie.tally_minute AS t SET count = t.count - r.count
    FROM (SELECT count(*) FROM replaced) AS r, sortie.worker AS w
    WHERE w.id = $3::integer AND t.run_id = $1::bigint AND t.phase = $2::smallint
        AND t.worker_id = w.id AND t.outcome = 3 AND t.minute = date_trunc('minute', w.ended_at)
)
SELECT (SELECT count(*) FROM replaced), (SELECT count(*) FROM added)
