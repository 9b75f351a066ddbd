-- Adds a worker to a run that is locked. $1 run bigint, $2 host text, $3 pid integer, $4 start of
-- the process bigint, $5 version text, $6 lease in seconds integer, $7 space of the pid text, $8
-- record protocol integer. One row: its id.
INSERT INTO sortie.worker (run_id, host, pid, pid_started, version, lease_epoch, lease_expires_at,
    pid_space, protocol)
SELECT $1::bigint, $2::text, $3::integer, $4::bigint, $5::text, r.lease_epoch,
    clock_timestamp() + make_interval(secs => $6::integer), $7::text, $8::integer
FROM sortie.run AS r WHERE r.id = $1::bigint
RETURNING id
