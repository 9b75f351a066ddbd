-- Makes a run's table of recipients, numbered in the order of device ids.
-- {recipient} the run's table, {where} the audience's condition;
-- $1 run bigint, $2 app text, $3 environment text, $4 locales text[] in lower case with "-" (empty:
-- all), $5 registered within seconds bigint or null, $6 translations text[] in the same form,
-- $7 probe rule text (all, none, stale), $8 stale after seconds bigint, $9 probe only boolean.
-- No rows; affects one per recipient. Reads every device of the app once, and once more if locales
-- matter: they are compared once per different locale, not once per device.
CREATE TABLE {recipient} WITH (autovacuum_enabled = off) AS
WITH tag AS MATERIALIZED (
    SELECT DISTINCT coalesce(d.locale, '') AS tag
    FROM sortie.device AS d
    WHERE d.app = $2::text AND d.environment = $3::text AND d.status = 'active'
        AND cardinality($4::text[]) + cardinality($6::text[]) > 0
), locale AS MATERIALIZED (
    SELECT tag,
        cardinality($4::text[]) = 0 OR EXISTS (
            SELECT FROM unnest($4::text[]) AS wanted
            WHERE plain = wanted OR starts_with(plain, wanted || '-')) AS is_wanted,
        (
            SELECT t.number FROM unnest($6::text[]) WITH ORDINALITY AS t (name, number)
            WHERE plain = t.name OR starts_with(plain, t.name || '-')
            ORDER BY length(t.name) DESC LIMIT 1) AS translation
    FROM tag, LATERAL (SELECT lower(replace(tag, '_', '-')) AS plain) AS form
), chosen AS (
    SELECT d.id, coalesce(d.locale, '') AS tag,
        CASE $7::text WHEN 'all' THEN true WHEN 'none' THEN false
            ELSE coalesce(d.registered_at, '-infinity')
                < now() - make_interval(secs => $8::bigint) END AS probe
    FROM sortie.device AS d
    WHERE d.app = $2::text AND d.environment = $3::text AND d.status = 'active'
        AND ($5::bigint IS NULL OR d.registered_at >= now() - make_interval(secs => $5::bigint))
        AND {where}
)
SELECT $1::bigint AS run_id, chosen.id AS device_id,
    (row_number() OVER (ORDER BY chosen.id))::integer AS ordinal,
    coalesce(locale.translation, 0)::smallint AS translation, chosen.probe
FROM chosen LEFT JOIN locale USING (tag)
WHERE coalesce(locale.is_wanted, true) AND (chosen.probe OR NOT $9::boolean)
ORDER BY chosen.id
