-- Ends a lost worker and settles the doubt it leaves. $1 worker integer, $2 reason text, $3 whether
-- its lease does not matter boolean. One row: how many recipients were in doubt; null if it had
-- ended or is alive.
SELECT sortie.evict_worker($1::integer, $2::text, $3::boolean)
