-- The newest runs, and what each of them is at.
-- $1 how many bigint. Rows: one per run.
SELECT s.run_id, s.campaign, s.occurrence, s.state, s.recipients, s.accepted, s.rejected, s.unknown,
    s.skipped, s.unsent, s.started_at, s.seconds, s.stop_reason, s.rehearsal, t.workers,
    t.next_step, t.next_step_at, t.last_progress_at, t.wish
FROM (SELECT * FROM report.run_summary ORDER BY run_id DESC LIMIT $1) AS s
JOIN report.run_status AS t ON t.run_id = s.run_id
ORDER BY s.run_id DESC
