-- Replaces the definition of a run whose audience is not frozen yet.
-- $1 run bigint, $2 definition text, $3 hash text, $4 app text, $5 environment text, $6 seconds to
-- expiry bigint or null, $7 collapse id text or null, $8 probe only boolean. No rows.
UPDATE sortie.run
SET definition = $2::text, definition_hash = $3::text, app = $4::text, environment = $5::text,
    expires_at = CASE WHEN $6::bigint = 0 THEN 'epoch'::timestamptz
        ELSE now() + make_interval(secs => $6::bigint) END,
    collapse_id = $7::text, probe_only = $8::boolean
WHERE id = $1::bigint AND frozen_at IS NULL
