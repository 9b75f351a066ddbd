-- A run's outcomes by phase, outcome and reason, the largest first within a phase.
-- $1 run bigint. Rows: a few dozen.
SELECT phase, outcome, reason, recipients
FROM report.outcome_by_reason
WHERE run_id = $1
ORDER BY phase, recipients DESC, outcome, reason
