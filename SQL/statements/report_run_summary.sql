-- One run's summary.
-- $1 run bigint. One row.
SELECT * FROM report.run_summary WHERE run_id = $1
