-- Asks the workers of a run to stop.
-- $1 run bigint, $2 wish text (pause, cancel, brake), $3 who text, $4 why text. One row: asked, or
-- the state that the run has now.
SELECT sortie.ask_run($1::bigint, $2::text, $3::text, $4::text)
