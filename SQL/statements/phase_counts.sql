-- How far a phase is.
-- $1 run bigint, $2 phase smallint. One row: recipients in the phase, accepted, rejected, unknown,
-- skipped, parked.
SELECT
    (SELECT CASE $2::smallint WHEN 1 THEN probe_recipients ELSE recipients END
        FROM sortie.run WHERE id = $1::bigint),
    coalesce(sum(count) FILTER (WHERE outcome = 1), 0),
    coalesce(sum(count) FILTER (WHERE outcome = 2), 0),
    coalesce(sum(count) FILTER (WHERE outcome = 3), 0),
    coalesce(sum(count) FILTER (WHERE outcome = 4), 0),
    (SELECT count(*) FROM sortie.retry WHERE run_id = $1::bigint AND phase = $2::smallint)
FROM sortie.tally
WHERE run_id = $1::bigint AND phase = $2::smallint
