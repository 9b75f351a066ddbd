-- Writes a line of a run's journal.
-- $1 run bigint, $2 kind text, $3 text, $4 detail jsonb object or null, $5 worker integer or null.
-- No rows.
INSERT INTO sortie.run_event (run_id, kind, text, detail, worker_id)
VALUES ($1::bigint, $2::text, $3::text, $4::jsonb, $5::integer)
