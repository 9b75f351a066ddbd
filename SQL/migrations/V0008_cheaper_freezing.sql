-- An audience is frozen by CREATE TABLE AS, which writes a row for two thirds of what INSERT takes;
-- what the table needs to be a partition follows in one pass.

DROP FUNCTION sortie.create_run_tables;
CREATE FUNCTION sortie.create_outcomes(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are only added while the run lasts: a vacuum would take time from the sending and find
    -- nothing. settle_run_tables() turns it on for the end.
    EXECUTE format('CREATE TABLE sortie.outcome_%s (LIKE sortie.outcome INCLUDING ALL) '
        'WITH (autovacuum_enabled = off)', run);
    EXECUTE format('ALTER TABLE sortie.outcome_%s ADD PRIMARY KEY (phase, ordinal)', run);
    EXECUTE format('ALTER TABLE sortie.outcome ATTACH PARTITION sortie.outcome_%s '
        'FOR VALUES IN (%s)', run, run);
END $$;
COMMENT ON FUNCTION sortie.create_outcomes IS 'Makes the table of a run''s outcomes.';

CREATE OR REPLACE FUNCTION sortie.attach_recipients(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- One pass over the table, for everything that being a partition needs; it is new, and full.
    EXECUTE format('ALTER TABLE sortie.recipient_%1$s ADD PRIMARY KEY (ordinal), '
        'ALTER run_id SET NOT NULL, ALTER device_id SET NOT NULL, ALTER translation SET NOT NULL, '
        'ALTER probe SET NOT NULL, ADD CONSTRAINT recipient_%1$s_run_check CHECK (run_id = %1$s)',
        run);
    EXECUTE format('ALTER TABLE sortie.recipient ATTACH PARTITION sortie.recipient_%s '
        'FOR VALUES IN (%s)', run, run);
END $$;
