-- Keeps one row per token, the one registered last, in the order of tokens.
-- No parameters, no rows; affects one row per different token.
CREATE TEMPORARY TABLE import_latest ON COMMIT DROP AS
SELECT DISTINCT ON (token, app, environment)
    line, CASE WHEN registered_at > now() THEN now() ELSE registered_at END AS registered_at, app,
    environment, token, user_id, device_key, locale, time_zone, os_version, model, app_version,
    attributes
FROM import_row
ORDER BY token, app, environment, registered_at DESC NULLS LAST, line DESC
