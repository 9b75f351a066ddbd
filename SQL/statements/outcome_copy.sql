-- Takes outcomes straight into a run's table; {outcome} is its name.
COPY {outcome} (run_id, sent_at, ordinal, latency_us, worker_id, phase, outcome, status, attempts,
    connection, apns_id, reason, apns_timestamp) FROM STDIN (FORMAT binary)
