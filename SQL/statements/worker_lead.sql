-- Makes a worker the lead of its run, if no other live one is.
-- $1 worker integer. One row: the lease epoch; null if another leads or it has ended.
SELECT sortie.take_lead($1::integer)
