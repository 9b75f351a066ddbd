-- Takes a share of the run's max_rate. $1 worker integer, $2 wanted in thousandths of a request per
-- second integer. One row: what it got; null if it has ended.
SELECT sortie.take_share($1::integer, $2::integer)
