-- Renews a worker's lease.
-- $1 worker integer, $2 lease in seconds integer. No rows; affects one, or none if it has ended.
UPDATE sortie.worker
SET heartbeat_at = clock_timestamp(),
    lease_expires_at = clock_timestamp() + make_interval(secs => $2::integer)
WHERE id = $1::integer AND ended_at IS NULL
