-- Opens every leased slice of a run, after its workers were ended.
-- $1 run bigint. No rows.
UPDATE sortie.slice SET state = 'open' WHERE run_id = $1::bigint AND state = 'leased'
