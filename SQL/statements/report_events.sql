-- A run's journal.
-- $1 run bigint. Rows: in the order in which they were written.
SELECT at, worker_id, kind, text, detail
FROM report.run_event
WHERE run_id = $1
ORDER BY event_id
