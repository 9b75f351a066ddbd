-- Sets a new run's collapse id, which may contain the run's number.
-- $1 run bigint, $2 collapse id text. No rows.
UPDATE sortie.run SET collapse_id = $2::text WHERE id = $1::bigint
