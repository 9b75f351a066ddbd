-- Whether the list of migrations exists.
-- No parameters. One row: boolean.
SELECT to_regclass('sortie.migration') IS NOT NULL
