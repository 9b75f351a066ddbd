-- Sets devices' status from a phase's outcomes, with an event for each. {outcome} and {recipient}
-- the run's tables; $1 run bigint, $2 phase smallint, $3 integer: the lead whose evidence, with
-- that of the workers that came after it, is good enough to mark devices invalid, and not only
-- unregistered, or null. A rehearsal changes nothing, and neither does a run that a brake is
-- stopping, or that is being cancelled, perhaps after one. One row: unregistered, invalid, wrong
-- topic, rejections that changed nothing. Reads the phase's outcomes once, and not at all if none
-- is a rejection; devices by primary key, locked in the order of their tokens.
WITH verdict AS (
    SELECT r.device_id, o.reason,
        CASE WHEN o.status = 410 THEN 'unregistered' ELSE 'invalid' END AS status,
        CASE WHEN o.status = 410 THEN coalesce(o.apns_timestamp, o.sent_at)
            ELSE o.sent_at END AS cause_at
    FROM {outcome} AS o
    JOIN {recipient} AS r ON r.ordinal = o.ordinal
    WHERE o.phase = $2::smallint AND o.outcome = 2
        AND EXISTS (SELECT FROM sortie.tally AS t
            WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.outcome = 2)
        AND NOT EXISTS (SELECT FROM sortie.run AS x WHERE x.id = $1::bigint
            AND (x.rehearsal OR x.wish IN ('brake', 'cancel')))
        AND (o.status = 410
            OR (o.worker_id >= $3::integer
                AND NOT EXISTS (SELECT FROM sortie.worker AS w
                    WHERE w.run_id = $1::bigint AND w.id >= $3::integer AND NOT w.allows_marking)
                AND o.reason IN ('BadDeviceToken', 'DeviceTokenNotForTopic')))
), locked AS MATERIALIZED (
    SELECT d.id, d.status, d.status_reason, d.status_at, d.status_cause_at,
        v.status AS new_status, v.reason, v.cause_at
    FROM verdict AS v
    JOIN sortie.device AS d ON d.id = v.device_id
    WHERE d.status = 'active' AND coalesce(d.registered_at, '-infinity') < v.cause_at
    ORDER BY d.token, d.app, d.environment
    FOR NO KEY UPDATE OF d
), changed AS (
    UPDATE sortie.device AS d
    SET status = l.new_status, status_reason = l.reason, status_at = now(),
        status_cause_at = l.cause_at
    FROM locked AS l
    WHERE d.id = l.id
), event AS (
    INSERT INTO sortie.device_event (device_id, run_id, cause_at, status_at_before,
        status_cause_at_before, status_before, status_after, reason, reason_before)
    SELECT l.id, $1::bigint, l.cause_at, l.status_at, l.status_cause_at, l.status, l.new_status,
        l.reason, l.status_reason
    FROM locked AS l
)
SELECT count(*) FILTER (WHERE new_status = 'unregistered'),
    count(*) FILTER (WHERE new_status = 'invalid'
        AND reason IS DISTINCT FROM 'DeviceTokenNotForTopic'),
    count(*) FILTER (WHERE new_status = 'invalid' AND reason = 'DeviceTokenNotForTopic'),
    (SELECT count(*) FROM verdict) - count(*)
FROM locked
