-- Leases the next open slice of a phase to a worker that has not ended.
-- $1 run bigint, $2 phase smallint, $3 worker integer, $4 lease epoch integer, $5 the last number
-- that this caller leased integer, -1 for none yet: a later one that the worker has already is one
-- whose answer was lost with the connection, and is given out again.
-- One row: whether the worker still holds the run, then the slice (nulls if none is open): number,
-- first ordinal, last ordinal, size, sending through, recorded. Index: slice_pkey.
WITH holder AS (
    SELECT id FROM sortie.worker WHERE id = $3::integer AND ended_at IS NULL FOR SHARE
), next AS (
    SELECT number FROM sortie.slice
    WHERE run_id = $1::bigint AND phase = $2::smallint
        AND (state = 'open'
            OR (state = 'leased' AND worker_id = $3::integer AND number > $5::integer))
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
