-- Makes the table of a run's outcomes.
-- $1 run bigint. One row, of no interest.
SELECT sortie.create_outcomes($1::bigint)
