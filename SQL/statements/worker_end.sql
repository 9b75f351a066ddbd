-- Ends a worker.
-- $1 worker integer, $2 reason text. No rows; affects one, or none if it has ended before.
UPDATE sortie.worker SET ended_at = clock_timestamp(), end_reason = $2::text
WHERE id = $1::integer AND ended_at IS NULL
