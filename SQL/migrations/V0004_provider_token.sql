-- The provider token that every process and machine sending with a key shares.

CREATE TABLE sortie.provider_token (
    key_id        text NOT NULL,
    team_id       text NOT NULL,
    key_digest    text NOT NULL,
    jwt           text NOT NULL,
    iat           bigint NOT NULL,
    issued_at     timestamptz NOT NULL,
    after_refusal boolean NOT NULL,
    boot_id       text NOT NULL,
    boot_ns       bigint NOT NULL,
    CONSTRAINT provider_token_pkey PRIMARY KEY (key_id, team_id, key_digest),
    CONSTRAINT provider_token_jwt_check
        CHECK (jwt ~ '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]+$'),
    CONSTRAINT provider_token_iat_check CHECK (iat > 0)
);

-- A provider token lets its bearer send in the team's name for an hour. Without a policy only the
-- owner sees rows, whatever is granted on all tables of the schema.
REVOKE ALL ON sortie.provider_token FROM PUBLIC;
ALTER TABLE sortie.provider_token ENABLE ROW LEVEL SECURITY;

COMMENT ON TABLE sortie.provider_token IS
    'The provider token (JWT) in use for each signing key. A secret for an hour: for the tables'' owner only.';
COMMENT ON COLUMN sortie.provider_token.key_id IS 'The key''s id at Apple.';
COMMENT ON COLUMN sortie.provider_token.team_id IS 'The team''s id at Apple.';
COMMENT ON COLUMN sortie.provider_token.key_digest IS
    'SHA-256 of the public key: a wrong key file under the same ids has a row of its own.';
COMMENT ON COLUMN sortie.provider_token.jwt IS 'The token itself.';
COMMENT ON COLUMN sortie.provider_token.iat IS
    'Its iat claim: this database''s clock when it was made, in seconds since 1970.';
COMMENT ON COLUMN sortie.provider_token.issued_at IS 'When it was made, by this database''s clock.';
COMMENT ON COLUMN sortie.provider_token.after_refusal IS
    'It was made because APNs called the one before expired; that may happen once in 20 minutes.';
COMMENT ON COLUMN sortie.provider_token.boot_id IS
    'Which boot of which machine made it: there its age is told by a clock that nobody can set.';
COMMENT ON COLUMN sortie.provider_token.boot_ns IS 'That clock when it was made, in nanoseconds.';
