-- Restores the devices whose status a run set, where they still are as the run left them.
-- $1 run bigint. One row: how many. Index: device_event_run_index.
WITH last AS (
    SELECT DISTINCT ON (e.device_id) e.*
    FROM sortie.device_event AS e
    WHERE e.run_id = $1::bigint
    ORDER BY e.device_id, e.id DESC
), locked AS MATERIALIZED (
    SELECT d.id, d.status, d.status_reason, d.status_at, d.status_cause_at,
        e.status_before, e.reason_before, e.status_at_before, e.status_cause_at_before
    FROM last AS e
    JOIN sortie.device AS d ON d.id = e.device_id
    WHERE e.reason IS DISTINCT FROM 'undone' AND d.status = e.status_after AND d.status_at = e.at
    ORDER BY d.token, d.app, d.environment
    FOR NO KEY UPDATE OF d
), changed AS (
    UPDATE sortie.device AS d
    SET status = l.status_before, status_reason = l.reason_before,
        status_at = now(), status_cause_at = l.status_cause_at_before
    FROM locked AS l
    WHERE d.id = l.id
), event AS (
    INSERT INTO sortie.device_event (device_id, run_id, cause_at, status_at_before,
        status_cause_at_before, status_before, status_after, reason, reason_before)
    SELECT l.id, $1::bigint, NULL, l.status_at, l.status_cause_at, l.status, l.status_before,
        'undone', l.status_reason
    FROM locked AS l
)
SELECT count(*) FROM locked
