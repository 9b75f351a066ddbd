-- Reads a run with its lead.
-- $1 run bigint. One row: id, campaign, occurrence, app, environment, state, stop reason,
-- definition, hash, collapse id, expiry in seconds since 1970, is frozen, recipients, probe
-- recipients; then the lead (nulls if nobody leads): id, host, pid, start of the process, version,
-- seconds since its heartbeat, seconds of its lease left; then probe only, rehearsal, wish, who
-- wished it, why; pause cause, record protocol, unconfirmed, max_rate, start in microseconds since
-- 1970, workers with a lease; at last the space of the lead's pid.
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
WHERE r.id = $1::bigint
