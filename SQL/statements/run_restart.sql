-- Takes a run back to before its audience was frozen, if nothing of it can have reached anybody.
-- $1 run bigint. One row: whether it did.
SELECT sortie.restart_run($1::bigint)
