-- Notes a migration as applied.
-- $1 version integer, $2 name text, $3 checksum text. No rows.
INSERT INTO sortie.migration (version, name, checksum)
VALUES ($1::integer, $2::text, $3::text)
