-- Statistics of the devices, so that an audience right after an import is planned well.
-- No parameters, no rows.
ANALYZE sortie.device
