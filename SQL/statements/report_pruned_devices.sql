-- The devices whose status a run changed.
-- $1 run bigint. Rows: one per change, in order of devices.
SELECT device_id, user_id, status_after, reason, cause_at, pruned_at, registered_at, status_now,
    undone
FROM report.pruned_device
WHERE run_id = $1
ORDER BY device_id, pruned_at
