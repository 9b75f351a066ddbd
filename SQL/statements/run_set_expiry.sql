-- Counts the expiry of a run's message from now: a run that waited for its start was created
-- before.
-- $1 run bigint, $2 seconds to expiry bigint (null: none, 0: now or never). No rows; affects one,
-- or none if the audience is fixed and the run has begun.
UPDATE sortie.run
SET expires_at = CASE WHEN $2::bigint = 0 THEN 'epoch'::timestamptz
        ELSE now() + make_interval(secs => $2::bigint) END
WHERE id = $1::bigint AND frozen_at IS NULL
