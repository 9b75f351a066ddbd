-- Lets one process at a time decide whether a new provider token is made. Readers go on.
-- No parameters, no rows; the lock ends with the transaction.
LOCK TABLE sortie.provider_token IN SHARE ROW EXCLUSIVE MODE
