-- Makes a run's table of recipients where locales do not matter: as
-- freeze_recipients without them, which costs a sixth less.
-- {recipient} the run's table, {where} the audience's condition;
-- $1 run bigint, $2 app text, $3 environment text, $4 registered within seconds bigint or null,
-- $5 probe rule text (all, none, stale), $6 stale after seconds bigint, $7 probe only boolean.
-- No rows; affects one per recipient. Reads every device of the app once.
CREATE TABLE {recipient} WITH (autovacuum_enabled = off) AS
SELECT $1::bigint AS run_id, chosen.id AS device_id,
    (row_number() OVER (ORDER BY chosen.id))::integer AS ordinal, 0::smallint AS translation,
    chosen.probe
FROM (
    SELECT d.id,
        CASE $5::text WHEN 'all' THEN true WHEN 'none' THEN false
            ELSE coalesce(d.registered_at, '-infinity')
                < now() - make_interval(secs => $6::bigint) END AS probe
    FROM sortie.device AS d
    WHERE d.app = $2::text AND d.environment = $3::text AND d.status = 'active'
        AND ($4::bigint IS NULL OR d.registered_at >= now() - make_interval(secs => $4::bigint))
        AND {where}
) AS chosen
WHERE chosen.probe OR NOT $7::boolean
ORDER BY chosen.id
