-- Reads the newest run with its lead.
-- $1 campaign text, or null for any. One row or none, columns as in run_find.
SELECT r.id, r.campaign, r.occurrence, r.app, r.environment, r.state, r.stop_reason,
    r.definition, r.definition_hash, r.collapse_id, extract(epoch FROM r.expires_at)::bigint,
    r.frozen_at IS NOT NULL, r.recipients, r.probe_recipients,
    w.id, w.host, w.pid, w.pid_started, w.version,
    extract(epoch FROM clock_timestamp() - w.heartbeat_at),
    extract(epoch FROM w.lease_expires_at - clock_timestamp()), r.probe_only,
    r.rehearsal, r.wish, r.wish_by, r.wish_text, r.pause_cause, r.protocol, r.unconfirmed,
    r.max_rate, (extract(epoch FROM r.starts_at) * 1000000)::bigint, sortie.live_workers(r.id),
    w.pid_space
FROM sortie.run AS r
LEFT JOIN sortie.worker AS w ON w.id = r.worker_id AND w.ended_at IS NULL
WHERE $1::text IS NULL OR r.campaign = $1::text
ORDER BY r.id DESC
LIMIT 1
