-- The newest runs.
-- $1 how many bigint. Rows: one per run.
SELECT run_id, campaign, occurrence, state, recipients, accepted, rejected, unknown, skipped,
    unsent, started_at, seconds, stop_reason, rehearsal
FROM report.run_summary
ORDER BY run_id DESC
LIMIT $1
