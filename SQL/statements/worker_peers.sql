-- The workers of a run that have not ended, the earliest first.
-- $1 run bigint. Rows: id, host, pid, start of the process, version, seconds since the heartbeat,
-- seconds of the lease left, space of the pid. Index: worker_run_index.
SELECT w.id, w.host, w.pid, w.pid_started, w.version,
    extract(epoch FROM clock_timestamp() - w.heartbeat_at),
    extract(epoch FROM w.lease_expires_at - clock_timestamp()), w.pid_space
FROM sortie.worker AS w
WHERE w.run_id = $1::bigint AND w.ended_at IS NULL
ORDER BY w.id
