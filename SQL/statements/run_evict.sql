-- Ends every worker of a run that has not ended, and opens the slices they held. The workers' rows
-- come first: a transaction of theirs that is under way is waited for, and later ones find
-- themselves ended.
-- $1 run bigint. No rows.
WITH evicted AS (
    UPDATE sortie.worker SET ended_at = clock_timestamp(), end_reason = 'taken over'
    WHERE run_id = $1::bigint AND ended_at IS NULL
    RETURNING id
)
INSERT INTO sortie.run_event (run_id, worker_id, kind, text)
SELECT $1::bigint, id, 'takeover', 'the run was taken over from worker ' || id FROM evicted
