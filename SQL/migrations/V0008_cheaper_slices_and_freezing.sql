-- Leasing a slice no longer waits for the batch that the same worker is just recording, and an
-- audience is frozen by CREATE TABLE AS, which costs a third less than INSERT.

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

DROP FUNCTION sortie.create_run_tables;
CREATE FUNCTION sortie.create_outcomes(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are only added while the run lasts: a vacuum would take time from the sending and find
    -- nothing. settle_run_tables() turns it on for the end.
    EXECUTE format('CREATE TABLE sortie.outcome_%s (LIKE sortie.outcome INCLUDING ALL) '
        'WITH (autovacuum_enabled = off)', run);
    EXECUTE format('ALTER TABLE sortie.outcome_%s ADD PRIMARY KEY (phase, ordinal)', run);
    EXECUTE format('ALTER TABLE sortie.outcome ATTACH PARTITION sortie.outcome_%s '
        'FOR VALUES IN (%s)', run, run);
END $$;
COMMENT ON FUNCTION sortie.create_outcomes IS 'Makes the table of a run''s outcomes.';

CREATE OR REPLACE FUNCTION sortie.attach_recipients(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- One pass over the table, for everything that being a partition needs; it is new, and full.
    EXECUTE format('ALTER TABLE sortie.recipient_%1$s ADD PRIMARY KEY (ordinal), '
        'ALTER run_id SET NOT NULL, ALTER device_id SET NOT NULL, ALTER translation SET NOT NULL, '
        'ALTER probe SET NOT NULL, ADD CONSTRAINT recipient_%1$s_run_check CHECK (run_id = %1$s)',
        run);
    EXECUTE format('ALTER TABLE sortie.recipient ATTACH PARTITION sortie.recipient_%s '
        'FOR VALUES IN (%s)', run, run);
END $$;

-- A brake takes back what its run did to devices once the last worker is out. If a person cancels
-- or resumes the run before that, it is done at once: it must not be forgotten with the wish.
CREATE OR REPLACE FUNCTION sortie.ask_run(run bigint, wish text, by text, text text) RETURNS text
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    asked sortie.run;
BEGIN
    SELECT r.* INTO asked FROM sortie.run AS r WHERE r.id = $1 FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', $1 USING ERRCODE = 'ST001';
    END IF;
    IF asked.state IN ('finished', 'failed', 'cancelled') THEN
        RAISE EXCEPTION 'run % is % already', $1, asked.state USING ERRCODE = 'ST001';
    END IF;
    PERFORM sortie.evict_dead_workers($1);
    SELECT r.* INTO asked FROM sortie.run AS r WHERE r.id = $1;
    IF asked.state = 'cancelled' THEN
        RETURN asked.state;
    END IF;
    IF asked.state = 'paused' AND $2 <> 'cancel' THEN
        -- From now on only a person lets it go on.
        UPDATE sortie.run AS r SET pause_cause = 'request', stop_reason = $4
        WHERE r.id = $1 AND $2 = 'pause';
        RETURN 'paused';
    END IF;
    IF asked.wish = 'brake' AND $2 = 'cancel' THEN
        PERFORM sortie.undo_token_status($1);
    END IF;
    -- A wish to cancel is not taken back by one to pause, and a brake is more than a pause.
    UPDATE sortie.run AS r SET wish = $2, wish_by = $3, wish_text = $4, wish_at = clock_timestamp()
    WHERE r.id = $1 AND coalesce(r.wish, '') <> 'cancel'
        AND NOT (coalesce(r.wish, '') = 'brake' AND $2 = 'pause');
    -- Several workers, or several threads of one, may ask for the same.
    INSERT INTO sortie.run_event (run_id, kind, text)
    SELECT $1, 'wish', $4
    WHERE (asked.wish, asked.wish_text) IS DISTINCT FROM ($2, $4);
    IF sortie.live_workers($1) > 0 THEN
        RETURN 'asked';
    END IF;
    RETURN sortie.grant_wish($1);
END $$;

CREATE OR REPLACE FUNCTION sortie.resume_run(run bigint, by text DEFAULT session_user) RETURNS text
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    asked sortie.run;
BEGIN
    SELECT r.* INTO asked FROM sortie.run AS r WHERE r.id = $1 FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no run %', $1 USING ERRCODE = 'ST001';
    END IF;
    IF asked.state IN ('finished', 'failed', 'cancelled') OR asked.wish = 'cancel' THEN
        RAISE EXCEPTION 'run % is % and can not go on', $1,
            CASE WHEN asked.wish = 'cancel' THEN 'being cancelled' ELSE asked.state END
            USING ERRCODE = 'ST001';
    END IF;
    PERFORM sortie.evict_dead_workers($1);
    SELECT r.* INTO asked FROM sortie.run AS r WHERE r.id = $1;
    IF asked.state = 'cancelled' THEN
        RETURN 'cancelled';
    END IF;
    IF asked.wish = 'brake' THEN
        PERFORM sortie.undo_token_status($1);
    END IF;
    -- A run that starts afresh was interrupted in a state that it can't be in any more.
    UPDATE sortie.run AS r SET state = 'paused', stop_reason = 'starts afresh'
    WHERE r.id = $1 AND r.frozen_at IS NULL
        AND r.state IN ('preflight', 'canary', 'sending', 'retrying');
    UPDATE sortie.run AS r
    SET wish = NULL, wish_by = NULL, wish_text = NULL, wish_at = NULL,
        state = CASE WHEN r.state <> 'paused' THEN r.state
            WHEN r.frozen_at IS NULL THEN CASE r.paused_from WHEN 'planned' THEN 'planned'
                ELSE 'freezing' END
            ELSE coalesce(r.paused_from, 'preflight') END,
        stop_reason = NULL
    WHERE r.id = $1;
    INSERT INTO sortie.run_event (run_id, kind, text) VALUES ($1, 'resume', 'resumed by ' || $2);
    RETURN (SELECT r.state FROM sortie.run AS r WHERE r.id = $1);
END $$;
