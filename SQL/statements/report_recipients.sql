-- A run's recipients with their outcomes.
-- $1 run bigint. Rows: one per recipient, in order.
SELECT ordinal, device_id, user_id, locale, locale_chosen, outcome, reason, http_status, apns_id,
    attempts, sent_at, latency_ms, probe_outcome, probe_reason
FROM report.recipient_outcome
WHERE run_id = $1
ORDER BY ordinal
