-- Locks a run for freezing.
-- $1 run bigint, $2 lease epoch integer. One row: is frozen already; none if another worker
-- holds it.
SELECT frozen_at IS NOT NULL FROM sortie.run
WHERE id = $1::bigint AND lease_epoch = $2::integer
FOR NO KEY UPDATE
