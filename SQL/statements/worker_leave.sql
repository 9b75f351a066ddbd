-- Ends a worker that has recorded everything; the last one out may pause the run.
-- $1 worker integer, $2 reason text, $3 cause of the pause text, or null to leave the run open.
-- One row: the run's state; null if the worker had ended.
SELECT sortie.leave_run($1::integer, $2::text, $3::text)
