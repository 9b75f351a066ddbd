-- Creates a run unless the campaign's occurrence has one. $1 campaign text, $2 occurrence text, $3
-- app text, $4 environment text, $5 definition text, $6 definition hash text, $7 started by text,
-- $8 seconds to expiry bigint (null: none, 0: now or never), $9 probe only boolean, $10 rehearsal
-- boolean, $11 record protocol integer, $12 unconfirmed text, $13 max_rate text (null: none), $14
-- start in microseconds since 1970 bigint (null: at once). One row with the id if it was created,
-- else none. Index: run_occurrence_unique.
WITH campaign AS (
    INSERT INTO sortie.campaign (name) VALUES ($1::text) ON CONFLICT DO NOTHING
)
INSERT INTO sortie.run (campaign, occurrence, app, environment, definition, definition_hash,
    started_by, expires_at, probe_only, rehearsal, protocol, unconfirmed, max_rate, starts_at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text,
    CASE WHEN $8::bigint = 0 THEN 'epoch'::timestamptz
        ELSE now() + make_interval(secs => $8::bigint) END,
    $9::boolean, $10::boolean, $11::integer, $12::text, $13::text::double precision,
    'epoch'::timestamptz + $14::bigint * interval '1 microsecond')
ON CONFLICT ON CONSTRAINT run_occurrence_unique DO NOTHING
RETURNING id
