-- When the next parked recipient is due.
-- $1 run bigint, $2 phase smallint. One row: microseconds since 1970 or null.
-- Index: retry_due_index.
SELECT (extract(epoch FROM min(not_before)) * 1000000)::bigint
FROM sortie.retry
WHERE run_id = $1::bigint AND phase = $2::smallint AND NOT announced
