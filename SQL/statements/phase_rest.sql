-- What is left of a phase.
-- $1 run bigint, $2 phase smallint. One row: slices that are not done, parked recipients, when the
-- next of those that nobody has claimed is due, in microseconds since 1970 (null: none).
-- Index: slice_pkey, retry_due_index.
SELECT
    (SELECT count(*) FROM sortie.slice
        WHERE run_id = $1::bigint AND phase = $2::smallint AND state <> 'done'),
    (SELECT count(*) FROM sortie.retry WHERE run_id = $1::bigint AND phase = $2::smallint),
    (SELECT (extract(epoch FROM min(not_before)) * 1000000)::bigint FROM sortie.retry
        WHERE run_id = $1::bigint AND phase = $2::smallint AND worker_id IS NULL)
