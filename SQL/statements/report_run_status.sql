-- What one run is at.
-- $1 run bigint. One row.
SELECT s.run_id, s.campaign, s.occurrence, s.state, t.state_at, s.recipients, s.accepted,
    s.rejected, s.unknown, s.skipped, s.unsent, s.parked, s.started_at, s.seconds, s.rehearsal,
    s.probe_only, t.next_step, t.next_step_at, t.pause_cause, t.stop_reason, t.wish, t.wish_by,
    t.wish_at, t.workers, t.lead_worker_id, t.last_heard_at, t.last_progress_at, t.max_rate
FROM report.run_summary AS s
JOIN report.run_status AS t ON t.run_id = s.run_id
WHERE s.run_id = $1
