-- Cuts a run's recipients into slices, for each phase that has work in them.
-- {recipient} the run's table; $1 run bigint, $2 recipients in a slice integer. No rows.
WITH part AS (
    SELECT (ordinal - 1) / $2::integer AS number, min(ordinal) AS first, max(ordinal) AS last,
        count(*) AS sends, count(*) FILTER (WHERE probe) AS probes
    FROM {recipient}
    GROUP BY 1
)
INSERT INTO sortie.slice (run_id, phase, number, first_ordinal, last_ordinal, size,
    sending_through)
SELECT $1::bigint, phase.id, number, first, last, phase.size, first - 1
FROM part, LATERAL (VALUES (1, probes), (2, sends)) AS phase (id, size)
WHERE phase.size > 0
    AND NOT (phase.id = 2 AND (SELECT probe_only FROM sortie.run WHERE run.id = $1::bigint))
ORDER BY phase.id, number
