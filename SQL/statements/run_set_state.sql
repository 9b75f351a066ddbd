-- Changes a run's state; the table's trigger refuses what is not allowed. A pause is lifted by
-- run_resume only: a worker that has not heard of it must not.
-- $1 run bigint, $2 state text, $3 reason text or null, $4 lease epoch integer (0: any), $5 cause
-- of a pause text or null. No rows; affects one, or none if another worker leads the run or it is
-- paused.
UPDATE sortie.run
SET state = $2::text,
    stop_reason = CASE WHEN $2::text IN ('paused', 'failed', 'cancelled') THEN $3::text END,
    pause_cause = $5::text
WHERE id = $1::bigint AND ($4::integer = 0 OR lease_epoch = $4::integer)
    AND (state <> 'paused' OR $2::text IN ('paused', 'failed', 'cancelled'))
