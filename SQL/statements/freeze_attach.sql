-- Indexes a run's recipients and makes them visible in sortie.recipient.
-- $1 run bigint. One row, of no interest.
SELECT sortie.attach_recipients($1::bigint)
