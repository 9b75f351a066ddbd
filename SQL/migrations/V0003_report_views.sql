-- Views for analysts. They have no device tokens, and no column says "delivered": APNs accepts a
-- push, and nobody tells a sender whether it was shown.

CREATE VIEW report.run_summary AS
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
    round(100.0 * m.accepted / nullif(r.recipients, 0), 2) AS accepted_percent
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
COMMENT ON VIEW report.run_summary IS
    'One row per run. At every moment recipients = accepted + rejected + unknown + skipped + unsent.';
COMMENT ON COLUMN report.run_summary.run_id IS 'The run''s number.';
COMMENT ON COLUMN report.run_summary.campaign IS 'The campaign.';
COMMENT ON COLUMN report.run_summary.occurrence IS 'The name of the planned execution.';
COMMENT ON COLUMN report.run_summary.app IS 'Bundle id.';
COMMENT ON COLUMN report.run_summary.environment IS 'production or sandbox.';
COMMENT ON COLUMN report.run_summary.state IS 'The run''s state.';
COMMENT ON COLUMN report.run_summary.stop_reason IS 'Why it last paused, failed or ended early.';
COMMENT ON COLUMN report.run_summary.recipients IS 'Size of the audience; 0 before it is frozen.';
COMMENT ON COLUMN report.run_summary.accepted IS 'APNs said 200: accepted by APNs, which does not say whether it was shown.';
COMMENT ON COLUMN report.run_summary.rejected IS 'APNs said a final no.';
COMMENT ON COLUMN report.run_summary.unknown IS 'Sent, and no answer came.';
COMMENT ON COLUMN report.run_summary.skipped IS 'Not sent on purpose, such as to devices pruned before.';
COMMENT ON COLUMN report.run_summary.unsent IS 'Should still go; 0 in a finished run.';
COMMENT ON COLUMN report.run_summary.parked IS 'Of the unsent (or unprobed): waiting to be tried again.';
COMMENT ON COLUMN report.run_summary.unconfirmed IS 'Of the parked: in doubt, to be sent again by the campaign''s choice.';
COMMENT ON COLUMN report.run_summary.next_retry_at IS 'When the next parked recipient is due.';
COMMENT ON COLUMN report.run_summary.probe_recipients IS 'How many were to be probed.';
COMMENT ON COLUMN report.run_summary.probe_accepted IS 'Probes that APNs accepted; that proves nothing about the device.';
COMMENT ON COLUMN report.run_summary.probe_rejected IS 'Probes that APNs refused.';
COMMENT ON COLUMN report.run_summary.probe_unknown IS 'Probes without an answer.';
COMMENT ON COLUMN report.run_summary.probe_skipped IS 'Probes left out on purpose.';
COMMENT ON COLUMN report.run_summary.pruned IS 'Devices whose status the run changed and that were not restored.';
COMMENT ON COLUMN report.run_summary.probe_only IS 'The run was a preflight only; its probes are its outcomes.';
COMMENT ON COLUMN report.run_summary.started_by IS 'Who started it.';
COMMENT ON COLUMN report.run_summary.started_at IS 'When it was first opened.';
COMMENT ON COLUMN report.run_summary.frozen_at IS 'When the audience was fixed.';
COMMENT ON COLUMN report.run_summary.finished_at IS 'When it ended.';
COMMENT ON COLUMN report.run_summary.state_at IS 'When the state last changed.';
COMMENT ON COLUMN report.run_summary.last_progress_at IS 'When a worker of the run was last heard of.';
COMMENT ON COLUMN report.run_summary.seconds IS 'From start to end, or to now.';
COMMENT ON COLUMN report.run_summary.accepted_percent IS 'Accepted in percent of the recipients; null without recipients.';

CREATE VIEW report.outcome_by_reason AS
SELECT t.run_id, sortie.phase_name(t.phase) AS phase, sortie.outcome_name(t.outcome) AS outcome,
    nullif(t.reason, '') AS reason, sum(t.count)::bigint AS recipients
FROM sortie.tally AS t
GROUP BY t.run_id, t.phase, t.outcome, t.reason
HAVING sum(t.count) > 0;
COMMENT ON VIEW report.outcome_by_reason IS 'Recipients by phase, outcome and reason.';
COMMENT ON COLUMN report.outcome_by_reason.run_id IS 'The run.';
COMMENT ON COLUMN report.outcome_by_reason.phase IS 'probe or send.';
COMMENT ON COLUMN report.outcome_by_reason.outcome IS 'accepted, rejected, unknown or skipped.';
COMMENT ON COLUMN report.outcome_by_reason.reason IS 'APNs'' reason, or sortie''s cause; null if accepted.';
COMMENT ON COLUMN report.outcome_by_reason.recipients IS 'How many.';

CREATE VIEW report.outcome_by_minute AS
SELECT t.run_id, sortie.phase_name(t.phase) AS phase, t.minute,
    sum(t.count) FILTER (WHERE t.outcome = 1)::bigint AS accepted,
    sum(t.count) FILTER (WHERE t.outcome = 2)::bigint AS rejected,
    sum(t.count) FILTER (WHERE t.outcome = 3)::bigint AS unknown,
    sum(t.count) FILTER (WHERE t.outcome = 4)::bigint AS skipped
FROM sortie.tally_minute AS t
GROUP BY t.run_id, t.phase, t.minute;
COMMENT ON VIEW report.outcome_by_minute IS 'Recipients by the minute in which their outcome was recorded.';
COMMENT ON COLUMN report.outcome_by_minute.run_id IS 'The run.';
COMMENT ON COLUMN report.outcome_by_minute.phase IS 'probe or send.';
COMMENT ON COLUMN report.outcome_by_minute.minute IS 'Start of the minute; for days of a zone: (minute AT TIME ZONE ''America/New_York'')::date.';
COMMENT ON COLUMN report.outcome_by_minute.accepted IS 'Accepted by APNs; null for none.';
COMMENT ON COLUMN report.outcome_by_minute.rejected IS 'Refused by APNs; null for none.';
COMMENT ON COLUMN report.outcome_by_minute.unknown IS 'Sent, no answer; null for none.';
COMMENT ON COLUMN report.outcome_by_minute.skipped IS 'Not sent on purpose; null for none.';

CREATE VIEW report.recipient_outcome AS
SELECT r.run_id, r.ordinal, r.device_id, d.user_id, d.device_key, d.locale,
    run.translations[r.translation] AS locale_chosen, d.status AS device_status,
    coalesce(sortie.outcome_name(o.outcome), 'unsent') AS outcome, o.reason,
    nullif(o.status, 0) AS http_status, o.apns_id, o.attempts, o.sent_at,
    nullif(o.latency_us, 0) / 1000.0 AS latency_ms, o.connection, o.worker_id, o.apns_timestamp,
    r.probe, sortie.outcome_name(p.outcome) AS probe_outcome, p.reason AS probe_reason,
    p.sent_at AS probe_sent_at
FROM sortie.recipient AS r
JOIN sortie.run AS run ON run.id = r.run_id
LEFT JOIN sortie.device AS d ON d.id = r.device_id
LEFT JOIN sortie.outcome AS o ON o.run_id = r.run_id AND o.ordinal = r.ordinal
    AND o.phase = CASE WHEN run.probe_only THEN 1 ELSE 2 END
LEFT JOIN sortie.outcome AS p ON p.run_id = r.run_id AND p.ordinal = r.ordinal AND p.phase = 1;
COMMENT ON VIEW report.recipient_outcome IS 'One row per recipient of a run; filter by run_id.';
COMMENT ON COLUMN report.recipient_outcome.run_id IS 'The run.';
COMMENT ON COLUMN report.recipient_outcome.ordinal IS 'The recipient''s number in the run.';
COMMENT ON COLUMN report.recipient_outcome.device_id IS 'The device.';
COMMENT ON COLUMN report.recipient_outcome.user_id IS 'The app''s own name for the user, as it is now.';
COMMENT ON COLUMN report.recipient_outcome.device_key IS 'The app''s own name for the device, as it is now.';
COMMENT ON COLUMN report.recipient_outcome.locale IS 'The device''s locale, as it is now.';
COMMENT ON COLUMN report.recipient_outcome.locale_chosen IS 'The translation that it gets; null for the default text.';
COMMENT ON COLUMN report.recipient_outcome.device_status IS 'The device''s status, as it is now.';
COMMENT ON COLUMN report.recipient_outcome.outcome IS 'accepted by APNs, rejected, unknown, skipped or unsent.';
COMMENT ON COLUMN report.recipient_outcome.reason IS 'APNs'' reason, or sortie''s cause.';
COMMENT ON COLUMN report.recipient_outcome.http_status IS 'HTTP status of the answer; null without one.';
COMMENT ON COLUMN report.recipient_outcome.apns_id IS 'The id that APNs gave the push.';
COMMENT ON COLUMN report.recipient_outcome.attempts IS 'Requests on the wire.';
COMMENT ON COLUMN report.recipient_outcome.sent_at IS 'When the last request was sent.';
COMMENT ON COLUMN report.recipient_outcome.latency_ms IS 'Milliseconds from the last request to its answer.';
COMMENT ON COLUMN report.recipient_outcome.connection IS 'The worker''s connection.';
COMMENT ON COLUMN report.recipient_outcome.worker_id IS 'The worker.';
COMMENT ON COLUMN report.recipient_outcome.apns_timestamp IS 'The time in a 410.';
COMMENT ON COLUMN report.recipient_outcome.probe IS 'Whether it was to be probed.';
COMMENT ON COLUMN report.recipient_outcome.probe_outcome IS 'How the probe ended; null if there was none yet.';
COMMENT ON COLUMN report.recipient_outcome.probe_reason IS 'The probe''s reason.';
COMMENT ON COLUMN report.recipient_outcome.probe_sent_at IS 'When the probe was sent.';

CREATE VIEW report.pruned_device AS
SELECT e.run_id, e.device_id, d.user_id, d.device_key, d.app, d.environment, e.status_after,
    e.reason, e.cause_at, e.at AS pruned_at, d.registered_at, d.status AS status_now,
    EXISTS (SELECT FROM sortie.device_event AS u
        WHERE u.run_id = e.run_id AND u.device_id = e.device_id AND u.reason = 'undone'
            AND u.id > e.id) AS undone
FROM sortie.device_event AS e
JOIN sortie.device AS d ON d.id = e.device_id
WHERE e.run_id IS NOT NULL AND e.reason <> 'undone';
COMMENT ON VIEW report.pruned_device IS 'Devices whose status a run changed, and why.';
COMMENT ON COLUMN report.pruned_device.run_id IS 'The run.';
COMMENT ON COLUMN report.pruned_device.device_id IS 'The device.';
COMMENT ON COLUMN report.pruned_device.user_id IS 'The app''s own name for the user.';
COMMENT ON COLUMN report.pruned_device.device_key IS 'The app''s own name for the device.';
COMMENT ON COLUMN report.pruned_device.app IS 'Bundle id.';
COMMENT ON COLUMN report.pruned_device.environment IS 'production or sandbox.';
COMMENT ON COLUMN report.pruned_device.status_after IS 'unregistered or invalid.';
COMMENT ON COLUMN report.pruned_device.reason IS 'APNs'' reason.';
COMMENT ON COLUMN report.pruned_device.cause_at IS 'Apple''s timestamp of the 410, else when the refused push was sent.';
COMMENT ON COLUMN report.pruned_device.pruned_at IS 'When the status was set.';
COMMENT ON COLUMN report.pruned_device.registered_at IS 'When the app last reported the token, as it is now.';
COMMENT ON COLUMN report.pruned_device.status_now IS 'The device''s status now.';
COMMENT ON COLUMN report.pruned_device.undone IS 'Whether the run''s change was taken back.';

CREATE VIEW report.run_event AS
SELECT e.run_id, e.id AS event_id, e.at, e.worker_id, e.kind, e.text, e.detail
FROM sortie.run_event AS e;
COMMENT ON VIEW report.run_event IS 'The journals of runs.';
COMMENT ON COLUMN report.run_event.run_id IS 'The run.';
COMMENT ON COLUMN report.run_event.event_id IS 'The event''s number; later events have higher ones.';
COMMENT ON COLUMN report.run_event.at IS 'When it happened.';
COMMENT ON COLUMN report.run_event.worker_id IS 'The worker that wrote it.';
COMMENT ON COLUMN report.run_event.kind IS 'One word, such as state or goaway.';
COMMENT ON COLUMN report.run_event.text IS 'A sentence.';
COMMENT ON COLUMN report.run_event.detail IS 'Figures, as a JSON object.';
