-- Reads a key's provider token.
-- $1 key id text, $2 team id text, $3 digest of the public key text. One row: the database's time
-- in seconds since 1970, then the token's columns, null if there is none: jwt, iat, age in
-- microseconds by the database's clock, whether it was made after a refusal, boot id, nanoseconds
-- of that boot's clock. Index: provider_token_pkey.
SELECT floor(extract(epoch FROM c.at))::bigint, t.jwt, t.iat,
    (extract(epoch FROM c.at - t.issued_at) * 1000000)::bigint, t.after_refusal, t.boot_id,
    t.boot_ns
FROM (SELECT clock_timestamp() AS at) AS c
LEFT JOIN sortie.provider_token AS t
    ON t.key_id = $1::text AND t.team_id = $2::text AND t.key_digest = $3::text
