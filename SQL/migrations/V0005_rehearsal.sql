-- Rehearsals: runs of a campaign against a stand-in for APNs. They change no device and count in no
-- total over several runs.

ALTER TABLE sortie.run ADD COLUMN rehearsal boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN sortie.run.rehearsal IS
    'A rehearsal: a stand-in for APNs answered, nobody got a push, and no device may change because of it.';

CREATE OR REPLACE VIEW report.run_summary AS
WITH counted AS (
    SELECT t.run_id, t.phase,
        coalesce(sum(t.count) FILTER (WHERE t.outcome = 1), 0)::bigint AS accepted,
        coalesce(sum(t.count) FILTER (WHERE t.outcome = 2), 0)::bigint AS rejected,
        coalesce(sum(t.count) FILTER (WHERE t.outcome = 3), 0)::bigint AS unknown,
        coalesce(sum(t.count) FILTER (WHERE t.outcome = 4), 0)::bigint AS skipped
    FROM sortie.tally AS t
    GROUP BY t.run_id, t.phase
)
SELECT
    r.id AS run_id, r.campaign, r.occurrence, r.app, r.environment, r.state, r.stop_reason,
    coalesce(r.recipients, 0) AS recipients,
    coalesce(m.accepted, 0) AS accepted,
    coalesce(m.rejected, 0) AS rejected,
    coalesce(m.unknown, 0) AS unknown,
    coalesce(m.skipped, 0) AS skipped,
    coalesce(r.recipients, 0) - coalesce(m.accepted + m.rejected + m.unknown + m.skipped, 0)
        AS unsent,
    waiting.parked, waiting.unconfirmed, waiting.next_retry_at,
    coalesce(r.probe_recipients, 0) AS probe_recipients,
    coalesce(p.accepted, 0) AS probe_accepted,
    coalesce(p.rejected, 0) AS probe_rejected,
    coalesce(p.unknown, 0) AS probe_unknown,
    coalesce(p.skipped, 0) AS probe_skipped,
    pruned.pruned,
    r.probe_only, r.started_by, r.started_at, r.frozen_at, r.finished_at, r.state_at,
    w.heartbeat_at AS last_progress_at,
    round(extract(epoch FROM coalesce(r.finished_at, clock_timestamp()) - r.started_at), 1)
        AS seconds,
    round(100.0 * m.accepted / nullif(r.recipients, 0), 2) AS accepted_percent,
    r.rehearsal
FROM sortie.run AS r
LEFT JOIN counted AS m ON m.run_id = r.id AND m.phase = CASE WHEN r.probe_only THEN 1 ELSE 2 END
LEFT JOIN counted AS p ON p.run_id = r.id AND p.phase = 1
LEFT JOIN LATERAL (
    SELECT count(*) AS parked, count(*) FILTER (WHERE t.cause = 4) AS unconfirmed,
        min(t.not_before) FILTER (WHERE NOT t.announced) AS next_retry_at
    FROM sortie.retry AS t WHERE t.run_id = r.id
) AS waiting ON true
LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE e.status_before = 'active')
        - count(*) FILTER (WHERE e.reason = 'undone') AS pruned
    FROM sortie.device_event AS e WHERE e.run_id = r.id
) AS pruned ON true
LEFT JOIN LATERAL (
    SELECT max(w.heartbeat_at) AS heartbeat_at FROM sortie.worker AS w WHERE w.run_id = r.id
) AS w ON true;
COMMENT ON COLUMN report.run_summary.rehearsal IS 'A rehearsal: nobody got a push, and no device changed.';

CREATE OR REPLACE VIEW report.outcome_by_reason AS
SELECT t.run_id, sortie.phase_name(t.phase) AS phase, sortie.outcome_name(t.outcome) AS outcome,
    nullif(t.reason, '') AS reason, sum(t.count)::bigint AS recipients,
    r.rehearsal
FROM sortie.tally AS t
JOIN sortie.run AS r ON r.id = t.run_id
GROUP BY t.run_id, t.phase, t.outcome, t.reason, r.rehearsal
HAVING sum(t.count) > 0;
COMMENT ON COLUMN report.outcome_by_reason.rehearsal IS 'Whether the run was a rehearsal.';

-- Its sums over several runs count pushes, so rehearsals are left out.
CREATE OR REPLACE VIEW report.outcome_by_minute AS
SELECT t.run_id, sortie.phase_name(t.phase) AS phase, t.minute,
    sum(t.count) FILTER (WHERE t.outcome = 1)::bigint AS accepted,
    sum(t.count) FILTER (WHERE t.outcome = 2)::bigint AS rejected,
    sum(t.count) FILTER (WHERE t.outcome = 3)::bigint AS unknown,
    sum(t.count) FILTER (WHERE t.outcome = 4)::bigint AS skipped
FROM sortie.tally_minute AS t
JOIN sortie.run AS r ON r.id = t.run_id AND NOT r.rehearsal
GROUP BY t.run_id, t.phase, t.minute;
COMMENT ON VIEW report.outcome_by_minute IS 'Recipients by the minute in which their outcome was recorded; without rehearsals.';

CREATE OR REPLACE VIEW report.recipient_outcome AS
SELECT r.run_id, r.ordinal, r.device_id, d.user_id, d.device_key, d.locale,
    run.translations[r.translation] AS locale_chosen, d.status AS device_status,
    coalesce(sortie.outcome_name(o.outcome), 'unsent') AS outcome, o.reason,
    nullif(o.status, 0) AS http_status, o.apns_id, o.attempts, o.sent_at,
    nullif(o.latency_us, 0) / 1000.0 AS latency_ms, o.connection, o.worker_id, o.apns_timestamp,
    r.probe, sortie.outcome_name(p.outcome) AS probe_outcome, p.reason AS probe_reason,
    p.sent_at AS probe_sent_at, run.rehearsal
FROM sortie.recipient AS r
JOIN sortie.run AS run ON run.id = r.run_id
LEFT JOIN sortie.device AS d ON d.id = r.device_id
LEFT JOIN sortie.outcome AS o ON o.run_id = r.run_id AND o.ordinal = r.ordinal
    AND o.phase = CASE WHEN run.probe_only THEN 1 ELSE 2 END
LEFT JOIN sortie.outcome AS p ON p.run_id = r.run_id AND p.ordinal = r.ordinal AND p.phase = 1;
COMMENT ON COLUMN report.recipient_outcome.rehearsal IS 'Whether the run was a rehearsal: then the recipient got nothing.';
