-- Locks a run by its id.
-- $1 run bigint. No rows or one, of no interest.
SELECT id FROM sortie.run WHERE id = $1::bigint FOR NO KEY UPDATE
