-- A run's workers and what they hold.
-- $1 run bigint. Rows: one per worker.
SELECT w.id AS worker_id, w.host, w.pid, w.version, w.started_at, w.heartbeat_at,
    w.lease_expires_at, w.ended_at, w.end_reason,
    (SELECT count(*) FROM sortie.slice AS s
        WHERE s.run_id = w.run_id AND s.worker_id = w.id AND s.state = 'leased') AS slices_held
FROM sortie.worker AS w
WHERE w.run_id = $1
ORDER BY w.id
