-- Lets a run go on.
-- $1 run bigint, $2 who text. One row: its state.
SELECT sortie.resume_run($1::bigint, $2::text)
