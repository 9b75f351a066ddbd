-- Keeps a key's provider token, in place of the one before.
-- $1 key id text, $2 team id text, $3 digest of the public key text, $4 jwt text, $5 iat bigint,
-- $6 age in nanoseconds bigint, $7 made after a refusal boolean, $8 boot id text, $9 nanoseconds of
-- that boot's clock when it was made bigint. No rows.
INSERT INTO sortie.provider_token (key_id, team_id, key_digest, jwt, iat, issued_at, after_refusal,
    boot_id, boot_ns)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::bigint,
    clock_timestamp() - make_interval(secs => $6::bigint / 1000000000.0), $7::boolean, $8::text,
    $9::bigint)
ON CONFLICT ON CONSTRAINT provider_token_pkey DO UPDATE
SET jwt = excluded.jwt, iat = excluded.iat, issued_at = excluded.issued_at,
    after_refusal = excluded.after_refusal, boot_id = excluded.boot_id, boot_ns = excluded.boot_ns
