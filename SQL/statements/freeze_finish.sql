-- Notes the size of a frozen audience, which is that of its slices.
-- $1 run bigint, $2 translations text[]. No rows.
UPDATE sortie.run
SET (recipients, probe_recipients) = (
        SELECT coalesce(sum(size) FILTER (WHERE phase = CASE WHEN probe_only THEN 1 ELSE 2 END), 0),
            coalesce(sum(size) FILTER (WHERE phase = 1), 0)
        FROM sortie.slice WHERE run_id = $1::bigint),
    translations = $2::text[], frozen_at = clock_timestamp()
WHERE id = $1::bigint
