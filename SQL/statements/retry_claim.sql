-- Claims parked recipients whose time has come for a worker, the longest waiting first. Claimed
-- ones are read by recipients_to_retry, then announced. $1 run bigint, $2 phase smallint, $3 worker
-- integer, $4 now bigint in microseconds since 1970, $5 how many at most bigint. One row: whether
-- the worker has not ended; how many it has claimed and not announced now, those of a call whose
-- answer was lost included. Index: retry_due_index.
WITH holder AS (
    SELECT id FROM sortie.worker WHERE id = $3::integer AND ended_at IS NULL FOR KEY SHARE
), may AS (
    SELECT r.id FROM sortie.run AS r
    WHERE r.id = $1::bigint AND r.wish IS NULL
        AND CASE $2::smallint WHEN 1 THEN r.state = 'preflight'
            ELSE r.state IN ('sending', 'retrying')
                OR (r.state = 'canary' AND r.worker_id = $3::integer) END
), due AS (
    SELECT t.run_id, t.phase, t.ordinal FROM sortie.retry AS t
    WHERE t.run_id = (SELECT id FROM may) AND t.phase = $2::smallint AND t.worker_id IS NULL
        AND t.not_before <= 'epoch'::timestamptz + $4::bigint * interval '1 microsecond'
        AND EXISTS (SELECT FROM holder)
    ORDER BY t.not_before
    LIMIT $5::bigint
    FOR UPDATE SKIP LOCKED
), claimed AS (
    UPDATE sortie.retry AS t SET worker_id = $3::integer
    FROM due
    WHERE t.run_id = due.run_id AND t.phase = due.phase AND t.ordinal = due.ordinal
    RETURNING t.ordinal
)
SELECT EXISTS (SELECT FROM holder), (SELECT count(*) FROM claimed)
    + (SELECT count(*) FROM sortie.retry AS t
        WHERE t.run_id = $1::bigint AND t.phase = $2::smallint AND t.worker_id = $3::integer
            AND NOT t.announced)
