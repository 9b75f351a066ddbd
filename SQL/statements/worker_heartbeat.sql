-- Renews a worker's lease and tells it what it has to know. $1 worker integer, $2 lease in seconds
-- integer, $3 its share of max_rate in thousandths integer. One row, or none if it has ended:
-- state, wish, who wished it, why; the lead (null: nobody), whether this worker leads; max_rate in
-- thousandths (null: none), workers that have not ended, those of them that came before this one.
WITH beat AS (
    UPDATE sortie.worker
    SET heartbeat_at = clock_timestamp(),
        lease_expires_at = clock_timestamp() + make_interval(secs => $2::integer),
        rate_share = least(rate_share, $3::integer)
    WHERE id = $1::integer AND ended_at IS NULL
    RETURNING run_id
)
SELECT r.state, r.wish, r.wish_by, r.wish_text, r.worker_id,
    coalesce(r.worker_id = $1::integer, false), (r.max_rate * 1000)::bigint,
    (SELECT count(*) FROM sortie.worker AS w WHERE w.run_id = r.id AND w.ended_at IS NULL),
    (SELECT count(*) FROM sortie.worker AS w
        WHERE w.run_id = r.id AND w.ended_at IS NULL AND w.id < $1::integer)
FROM beat JOIN sortie.run AS r ON r.id = beat.run_id
