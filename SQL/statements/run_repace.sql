-- Keeps a run's new definition, which differs from the old one in its pace only, and says so in the
-- journal.
-- $1 run bigint, $2 definition text, $3 hash text, $4 max_rate text or null, $5 start in
-- microseconds since 1970 bigint or null. One row with the run's id if it was another text, else
-- none.
WITH changed AS (
    UPDATE sortie.run
    SET definition = $2::text, max_rate = $4::text::double precision,
        starts_at = 'epoch'::timestamptz + $5::bigint * interval '1 microsecond'
    WHERE id = $1::bigint AND definition_hash = $3::text AND definition <> $2::text
    RETURNING id
), noted AS (
    INSERT INTO sortie.run_event (run_id, kind, text)
    SELECT id, 'pace',
        'the campaign file changed: its pace or its notes; whom it is for and what they get did not'
    FROM changed
)
SELECT id FROM changed
