-- Lets the server vacuum and analyse the tables of a run that has ended.
-- $1 run bigint. One row, of no interest.
SELECT sortie.settle_run_tables($1::bigint)
