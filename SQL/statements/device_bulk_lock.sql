-- One statement at a time may change many devices: imports and a run's changes of status lock rows
-- in different orders and would run into deadlocks.
-- No parameters. One row, of no interest; the lock ends with the transaction.
SELECT pg_advisory_xact_lock(7071112)
