-- Takes an import's rows.
COPY import_row (line, registered_at, app, environment, token, user_id, device_key, locale,
    time_zone, os_version, model, app_version, attributes) FROM STDIN (FORMAT binary)
