-- The database's clock.
-- No parameters. One row: microseconds since 1970.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
