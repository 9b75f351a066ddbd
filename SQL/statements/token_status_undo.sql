-- Restores the devices whose status a run set, where they still are as the run left them.
-- $1 run bigint. One row: how many. Index: device_event_run_index.
SELECT sortie.undo_token_status($1::bigint)
