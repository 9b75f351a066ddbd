-- Streams the parked recipients that a worker has claimed and not announced, the longest waiting
-- first.
-- {columns} more columns of device d, {recipient} the run's table, {run}, {phase} and {worker}
-- numbers, {rehearsed} one more condition. Rows, binary: as recipients_of_slice up to the token,
-- attempts int2, cause int2, parked at timestamptz less 1970 as int8 microseconds, then {columns}.
-- Index: retry_worker_index, then the primary keys, one recipient at a time: they lie anywhere.
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
COPY (
    SELECT r.ordinal,
        CASE WHEN d.status = 'active'{rehearsed} THEN r.translation ELSE -1::smallint END,
        d.token, t.attempts, t.cause, (extract(epoch FROM t.parked_at) * 1000000)::bigint{columns}
    FROM sortie.retry AS t
    JOIN {recipient} AS r ON r.ordinal = t.ordinal
    JOIN sortie.device AS d ON d.id = r.device_id
    WHERE t.run_id = {run} AND t.phase = {phase} AND t.worker_id = {worker} AND NOT t.announced
    ORDER BY t.not_before, t.ordinal
) TO STDOUT (FORMAT binary)
