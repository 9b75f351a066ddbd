-- Frees a run from its worker.
-- $1 run bigint, $2 worker integer. No rows.
UPDATE sortie.run SET worker_id = NULL WHERE id = $1::bigint AND worker_id = $2::integer
