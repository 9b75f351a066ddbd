-- Makes the tables of a run's recipients and outcomes.
-- $1 run bigint. One row, of no interest.
SELECT sortie.create_run_tables($1::bigint)
