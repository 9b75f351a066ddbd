-- Cuts a run's recipients into slices where either all of them or none are probed: what is in a
-- slice follows from their number, and their table need not be read.
-- $1 run bigint, $2 recipients in a slice integer, $3 recipients bigint, $4 all are probed boolean.
-- No rows.
INSERT INTO sortie.slice (run_id, phase, number, first_ordinal, last_ordinal, size,
    sending_through)
SELECT $1::bigint, phase.id, number, part.first, part.last, part.last - part.first + 1,
    part.first - 1
FROM generate_series(0, ($3::bigint - 1) / $2::integer) AS number,
    LATERAL (SELECT number * $2::integer + 1, least((number + 1) * $2::integer, $3::bigint))
        AS part (first, last),
    LATERAL (VALUES (1, $4::boolean), (2, NOT (SELECT probe_only FROM sortie.run
        WHERE run.id = $1::bigint))) AS phase (id, is_wanted)
WHERE phase.is_wanted AND part.first <= part.last
ORDER BY phase.id, number
