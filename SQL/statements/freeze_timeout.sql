-- Limits the statements of the present transaction in time.
-- $1 milliseconds text. One row, of no interest.
SELECT set_config('statement_timeout', $1::text, true)
