-- Creates and updates devices from an import, in the order of tokens. What a row does not say stays
-- as it is; attributes are merged; the later registration counts; one after the cause of a dead
-- status revives the device.
-- No parameters. One row: new, updated. Index: device_token_unique.
WITH merged AS (
    INSERT INTO sortie.device AS d (app, environment, token, user_id, device_key, locale, time_zone,
        os_version, model, app_version, attributes, registered_at)
    SELECT app, environment, token, user_id, device_key, locale, time_zone, os_version, model,
        app_version, coalesce(attributes, '{}'), registered_at
    FROM import_latest
    ORDER BY token, app, environment
    ON CONFLICT ON CONSTRAINT device_token_unique DO UPDATE SET
        user_id = coalesce(excluded.user_id, d.user_id),
        device_key = coalesce(excluded.device_key, d.device_key),
        locale = coalesce(excluded.locale, d.locale),
        time_zone = coalesce(excluded.time_zone, d.time_zone),
        os_version = coalesce(excluded.os_version, d.os_version),
        model = coalesce(excluded.model, d.model),
        app_version = coalesce(excluded.app_version, d.app_version),
        attributes = d.attributes || excluded.attributes,
        registered_at = greatest(d.registered_at, excluded.registered_at),
        status = CASE WHEN d.status IN ('unregistered', 'invalid', 'replaced')
            AND excluded.registered_at > coalesce(d.status_cause_at, '-infinity')
            THEN 'active' ELSE d.status END,
        status_reason = CASE WHEN d.status IN ('unregistered', 'invalid', 'replaced')
            AND excluded.registered_at > coalesce(d.status_cause_at, '-infinity')
            THEN 'imported' ELSE d.status_reason END,
        status_at = CASE WHEN d.status IN ('unregistered', 'invalid', 'replaced')
            AND excluded.registered_at > coalesce(d.status_cause_at, '-infinity')
            THEN now() ELSE d.status_at END,
        status_cause_at = CASE WHEN d.status IN ('unregistered', 'invalid', 'replaced')
            AND excluded.registered_at > coalesce(d.status_cause_at, '-infinity')
            THEN excluded.registered_at ELSE d.status_cause_at END
    WHERE (d.user_id, d.device_key, d.locale, d.time_zone, d.os_version, d.model, d.app_version)
            IS DISTINCT FROM (
                coalesce(excluded.user_id, d.user_id),
                coalesce(excluded.device_key, d.device_key),
                coalesce(excluded.locale, d.locale), coalesce(excluded.time_zone, d.time_zone),
                coalesce(excluded.os_version, d.os_version), coalesce(excluded.model, d.model),
                coalesce(excluded.app_version, d.app_version))
        OR NOT d.attributes @> excluded.attributes
        OR d.registered_at IS DISTINCT FROM greatest(d.registered_at, excluded.registered_at)
    -- A row that was inserted has no xmax; one that was updated was locked before.
    RETURNING d.xmax = 0 AS is_new
)
SELECT count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new) FROM merged
