-- Replaces the definition of a run whose audience is not frozen yet. $1 run bigint, $2 definition
-- text, $3 hash text, $4 app text, $5 environment text, $6 seconds to expiry bigint or null, $7
-- collapse id text or null, $8 probe only boolean, $9 unconfirmed text, $10 max_rate text or null,
-- $11 start in microseconds since 1970 bigint or null, $12 record protocol integer. No rows.
UPDATE sortie.run
SET definition = $2::text, definition_hash = $3::text, app = $4::text, environment = $5::text,
    expires_at = CASE WHEN $6::bigint = 0 THEN 'epoch'::timestamptz
        ELSE now() + make_interval(secs => $6::bigint) END,
    collapse_id = $7::text, probe_only = $8::boolean, unconfirmed = $9::text,
    max_rate = $10::text::double precision,
    starts_at = 'epoch'::timestamptz + $11::bigint * interval '1 microsecond',
    protocol = $12::integer
WHERE id = $1::bigint AND frozen_at IS NULL
