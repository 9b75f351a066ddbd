-- Opens the slices that a worker leased and did not finish.
-- $1 run bigint, $2 worker integer. No rows.
UPDATE sortie.slice SET state = 'open'
WHERE run_id = $1::bigint AND worker_id = $2::integer AND state = 'leased'
