-- Waits until nobody else writes devices, and lets nobody begin: for work that has met a deadlock.
-- App backends may register devices in any order inside transactions of their own; against those
-- no order of ours helps. Reading goes on.
-- No parameters, no rows; the lock ends with the transaction. Nothing else of the table may be
-- locked by the caller yet.
LOCK TABLE sortie.device IN EXCLUSIVE MODE
