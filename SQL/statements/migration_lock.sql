-- Takes the lock under which the schema is changed, and makes the list of migrations.
-- No parameters, no rows. Run as a script inside a transaction, which ends the lock.
SELECT pg_advisory_xact_lock(7071111);
CREATE SCHEMA IF NOT EXISTS sortie;
CREATE TABLE IF NOT EXISTS sortie.migration (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE sortie.migration IS 'The changes of the schema that were applied.';
COMMENT ON COLUMN sortie.migration.version IS 'The number in the file''s name.';
COMMENT ON COLUMN sortie.migration.name IS 'The file''s name.';
COMMENT ON COLUMN sortie.migration.checksum IS 'A digest of the file''s text, to notice edits.';
COMMENT ON COLUMN sortie.migration.applied_at IS 'When it was applied.';
