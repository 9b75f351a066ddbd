-- Reads a run with its holder.
-- $1 run bigint. One row: id, campaign, occurrence, app, environment, state, stop reason,
-- definition, hash, collapse id, expiry in seconds since 1970, is frozen, recipients, probe
-- recipients, then the holder (nulls if free): id, host, pid, start of the process, version,
-- seconds since its heartbeat, seconds of its lease left; at last: probe only,
-- rehearsal.
SELECT r.id, r.campaign, r.occurrence, r.app, r.environment, r.state, r.stop_reason,
    r.definition, r.definition_hash, r.collapse_id, extract(epoch FROM r.expires_at)::bigint,
    r.frozen_at IS NOT NULL, r.recipients, r.probe_recipients,
    w.id, w.host, w.pid, w.pid_started, w.version,
    extract(epoch FROM clock_timestamp() - w.heartbeat_at),
    extract(epoch FROM w.lease_expires_at - clock_timestamp()), r.probe_only,
    r.rehearsal
FROM sortie.run AS r
LEFT JOIN sortie.worker AS w ON w.id = r.worker_id AND w.ended_at IS NULL
WHERE r.id = $1::bigint
