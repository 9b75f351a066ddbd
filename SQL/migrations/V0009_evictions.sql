-- Leasing a slice no longer waits for the batch that the same worker is just recording, and an
-- eviction no longer for a worker that is lost in the middle of one.

-- Recording a batch updates the worker's row (FOR NO KEY UPDATE) and holds it until the commit.
-- Leasing a slice locks that row FOR KEY SHARE, which a batch does not hinder, and which an end of
-- the worker must therefore ask for by FOR UPDATE: whoever leases is waited for, or waits and finds
-- the worker ended.
CREATE FUNCTION sortie.lock_worker_to_end(worker integer) RETURNS void LANGUAGE sql AS $$
    SELECT FROM sortie.worker AS w WHERE w.id = $1 FOR UPDATE
$$;
COMMENT ON FUNCTION sortie.lock_worker_to_end IS
    'Locks a worker that is about to be ended, so that nothing is leased to it meanwhile or after.';

-- A transaction names its session after the worker while it records. The server ends one that is
-- silent between two statements, but not one that waits for the rest of a COPY: its timeouts are
-- not looked at there, a termination is.
CREATE FUNCTION sortie.end_recording(worker integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_terminate_backend(a.pid, 100)
    FROM pg_stat_activity AS a
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
        AND a.application_name = 'sortie worker ' || worker;
EXCEPTION WHEN insufficient_privilege THEN
    -- It belongs to another role: then there is only waiting.
    NULL;
END $$;
COMMENT ON FUNCTION sortie.end_recording IS
    'Ends the sessions in which a worker is recording, if the caller may: one that is lost in the middle of a transaction would hold its row for hours. A part of evict_worker().';

-- It does not wait long for a transaction of the worker's: a machine that lost its power in the
-- middle of one must not hold up the evictor, whose own lease goes on meanwhile.
CREATE OR REPLACE FUNCTION sortie.evict_worker(worker integer, reason text, force boolean)
    RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '300ms' AS $$
DECLARE
    run bigint;
    doubt bigint;
    moment timestamptz := clock_timestamp();
BEGIN
    SELECT w.run_id INTO run FROM sortie.worker AS w WHERE w.id = worker;
    PERFORM FROM sortie.run AS r WHERE r.id = run FOR NO KEY UPDATE;
    -- A transaction of the worker's own holds its row: it is waited for, and looked at again.
    BEGIN
        PERFORM sortie.lock_worker_to_end(worker);
    EXCEPTION WHEN lock_not_available THEN
        IF NOT force AND NOT EXISTS (SELECT FROM sortie.worker AS w
            WHERE w.id = worker AND w.lease_expires_at < clock_timestamp())
        THEN
            RAISE;
        END IF;
        PERFORM sortie.end_recording(worker);
        PERFORM sortie.lock_worker_to_end(worker);
    END;
    UPDATE sortie.worker AS w SET ended_at = moment, end_reason = reason, rate_share = 0
    WHERE w.id = worker AND w.ended_at IS NULL
        AND (force OR w.lease_expires_at < clock_timestamp());
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    doubt := sortie.settle_doubt(run, worker, moment);
    PERFORM sortie.free_worker_leases(run, worker);
    INSERT INTO sortie.run_event (run_id, worker_id, kind, text, detail)
    VALUES (run, worker, 'takeover', format('worker %s ended: %s; %s recipients in doubt', worker,
        reason, doubt), jsonb_build_object('in_doubt', doubt));
    -- The last one is gone: what it was asked for is done now.
    IF EXISTS (SELECT FROM sortie.run AS r WHERE r.id = run AND r.wish IS NOT NULL)
        AND NOT EXISTS (SELECT FROM sortie.worker AS w WHERE w.run_id = run AND w.ended_at IS NULL)
    THEN
        PERFORM sortie.grant_wish(run);
    END IF;
    RETURN doubt;
END $$;

CREATE OR REPLACE FUNCTION sortie.leave_run(worker integer, reason text, pause_cause text)
    RETURNS text LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    run sortie.run;
    doubt bigint;
BEGIN
    SELECT r.* INTO run FROM sortie.run AS r
    WHERE r.id = (SELECT w.run_id FROM sortie.worker AS w WHERE w.id = $1)
    FOR NO KEY UPDATE;
    PERFORM sortie.lock_worker_to_end($1);
    UPDATE sortie.worker AS w SET ended_at = clock_timestamp(), end_reason = $2
    WHERE w.id = $1 AND w.ended_at IS NULL;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- None, if it has recorded everything. If it could not, what is open must not be in doubt.
    doubt := sortie.settle_doubt(run.id, $1, clock_timestamp());
    IF doubt > 0 THEN
        INSERT INTO sortie.run_event (run_id, worker_id, kind, text, detail)
        VALUES (run.id, $1, 'doubt', format('worker %s left %s recipients in doubt', $1, doubt),
            jsonb_build_object('in_doubt', doubt));
    END IF;
    PERFORM sortie.free_worker_leases(run.id, $1);
    IF run.state IN ('paused', 'finished', 'failed', 'cancelled')
        OR sortie.live_workers(run.id) > 0
    THEN
        RETURN run.state;
    END IF;
    IF run.wish IS NOT NULL THEN
        RETURN sortie.grant_wish(run.id);
    END IF;
    IF $3 IS NULL THEN
        RETURN run.state;
    END IF;
    UPDATE sortie.run AS r SET state = 'paused', stop_reason = $2, pause_cause = $3
    WHERE r.id = run.id;
    RETURN 'paused';
END $$;
