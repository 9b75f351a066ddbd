-- Writes an event for every device that an import is about to revive, and locks those devices in
-- the order of their tokens.
-- No parameters, no rows; affects one per revived device.
WITH revived AS MATERIALIZED (
    SELECT d.id, d.status, d.status_reason, d.status_at, d.status_cause_at, i.registered_at
    FROM import_latest AS i
    JOIN sortie.device AS d USING (app, environment, token)
    WHERE d.status IN ('unregistered', 'invalid', 'replaced')
        AND i.registered_at > coalesce(d.status_cause_at, '-infinity')
    ORDER BY d.token, d.app, d.environment
    FOR NO KEY UPDATE OF d
)
INSERT INTO sortie.device_event (device_id, cause_at, status_at_before, status_cause_at_before,
    status_before, status_after, reason, reason_before)
SELECT id, registered_at, status_at, status_cause_at, status, 'active', 'imported', status_reason
FROM revived
