-- The instant of a planned start, by the server's own time zones.
-- $1 date and time as the zone's clocks show it text, $2 zone's name text (null: by $3), $3 offset
-- to UTC in seconds integer.
-- One row: the instant in microseconds since 1970, now in the same (both by the server), what the
-- zone's clocks really show at that instant, the same in UTC, whether the clocks show $1 a second
-- time, the zone's name as the server spells it; and if there is no such zone, nulls and at last
-- the names of all zones in one text with blanks between them. A time that the clocks jump over is
-- moved by the jump; of a time that they show twice the server takes the second.
WITH zone AS MATERIALIZED (
    SELECT name FROM pg_timezone_names
    WHERE lower(name) = lower($2::text) AND name !~ '^(posix|right)/'
    ORDER BY name
    LIMIT 1
), start AS (
    SELECT CASE WHEN $2::text IS NULL
            THEN $1::timestamp AT TIME ZONE 'UTC' - make_interval(secs => $3::integer)
            ELSE $1::timestamp AT TIME ZONE (SELECT name FROM zone)
        END AS at
), shown AS (
    SELECT at, CASE WHEN $2::text IS NULL
            THEN at AT TIME ZONE 'UTC' + make_interval(secs => $3::integer)
            ELSE at AT TIME ZONE (SELECT name FROM zone)
        END AS local_at
    FROM start
)
SELECT (extract(epoch FROM at) * 1000000)::bigint,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    to_char(local_at, 'YYYY-MM-DD HH24:MI:SS'),
    to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
    -- Clocks go back by an hour, Lord Howe's by half of one, Troll's by two.
    EXISTS (SELECT FROM unnest(ARRAY[30, 60, 120]) AS minutes
        WHERE (at - make_interval(mins => minutes)) AT TIME ZONE (SELECT name FROM zone)
            = $1::timestamp),
    (SELECT name FROM zone),
    CASE WHEN at IS NULL
        THEN (SELECT string_agg(name, ' ' ORDER BY name) FROM pg_timezone_names
            WHERE name LIKE '%/%' AND name !~ '^(posix|right|Etc)/')
    END
FROM shown
