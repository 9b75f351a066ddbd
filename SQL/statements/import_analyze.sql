-- Statistics of an import's rows, so that they are joined with the devices in a sensible way.
-- No parameters, no rows.
ANALYZE import_latest
