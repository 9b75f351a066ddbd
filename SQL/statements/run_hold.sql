-- Makes a new worker the holder of a run that is locked.
-- $1 run bigint, $2 host text, $3 pid integer, $4 start of the process bigint, $5 version text,
-- $6 lease in seconds integer. One row: worker id, lease epoch.
WITH epoch AS (
    SELECT lease_epoch + 1 AS next FROM sortie.run WHERE id = $1::bigint
), worker AS (
    INSERT INTO sortie.worker (run_id, host, pid, pid_started, version, lease_epoch,
        lease_expires_at)
    SELECT $1::bigint, $2::text, $3::integer, $4::bigint, $5::text, next,
        clock_timestamp() + make_interval(secs => $6::integer)
    FROM epoch
    RETURNING id, lease_epoch
)
UPDATE sortie.run AS r
SET worker_id = worker.id, lease_epoch = worker.lease_epoch
FROM worker WHERE r.id = $1::bigint
RETURNING worker.id, worker.lease_epoch
