-- The migrations applied so far.
-- No parameters. Rows: version, checksum; a handful.
SELECT version, checksum FROM sortie.migration ORDER BY version
