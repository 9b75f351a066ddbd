-- Leases the next open slice of a phase to a worker that has not ended, while the run is in that
-- phase and nobody wants it to stop. $1 run bigint, $2 phase smallint, $3 worker integer, $4 lease
-- epoch integer, $5 the numbers that this caller has been given integer[], or null: another one
-- that the worker has already is one whose answer was lost with the connection, or that it has yet
-- to go on with, and is given out again. One row: whether the worker has not ended, then the slice
-- (nulls if none is open): number, first ordinal, last ordinal, size, sending through, recorded.
-- Index: slice_pkey. FOR KEY SHARE does not wait for a batch that the worker is recording, and ends
-- of workers lock FOR UPDATE.
WITH holder AS (
    SELECT id FROM sortie.worker WHERE id = $3::integer AND ended_at IS NULL FOR KEY SHARE
), may AS (
    SELECT r.id FROM sortie.run AS r
    WHERE r.id = $1::bigint AND r.wish IS NULL
        AND CASE $2::smallint WHEN 1 THEN r.state = 'preflight'
            ELSE r.state IN ('sending', 'retrying') END
), next AS (
    SELECT number FROM sortie.slice
    WHERE run_id = (SELECT id FROM may) AND phase = $2::smallint
        AND (state = 'open'
            OR (state = 'leased' AND worker_id = $3::integer AND number <> ALL ($5::integer[])))
        AND EXISTS (SELECT FROM holder)
    ORDER BY number
    LIMIT 1
    FOR UPDATE SKIP LOCKED
), leased AS (
    UPDATE sortie.slice AS s
    SET state = 'leased', worker_id = $3::integer, lease_epoch = $4::integer,
        leased_at = clock_timestamp()
    FROM next
    WHERE s.run_id = $1::bigint AND s.phase = $2::smallint AND s.number = next.number
    RETURNING s.number, s.first_ordinal, s.last_ordinal, s.size, s.sending_through, s.recorded
)
SELECT EXISTS (SELECT FROM holder), leased.*
FROM (VALUES (1)) AS one LEFT JOIN leased ON true
