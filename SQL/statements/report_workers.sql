-- A run's workers and what they hold.
-- $1 run bigint. Rows: one per worker.
SELECT * FROM report.run_worker WHERE run_id = $1 ORDER BY worker_id
