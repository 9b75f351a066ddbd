-- Several workers on one run: each leases slices and claims parked recipients under its own lease;
-- one of them leads. People pause, resume and cancel runs. docs/record-protocol.md proves the
-- order.
--
-- Locks are always taken in the order run, worker, slice, retry, so that nobody waits in a circle.

ALTER TABLE sortie.run
    ADD COLUMN protocol integer NOT NULL DEFAULT 1,
    ADD COLUMN unconfirmed text NOT NULL DEFAULT 'keep',
    ADD COLUMN max_rate double precision,
    ADD COLUMN wish text,
    ADD COLUMN wish_by text,
    ADD COLUMN wish_text text,
    ADD COLUMN wish_at timestamptz,
    ADD COLUMN paused_from text,
    ADD COLUMN pause_cause text,
    ADD COLUMN starts_at timestamptz,
    ADD CONSTRAINT run_unconfirmed_check CHECK (unconfirmed IN ('keep', 'resend')),
    ADD CONSTRAINT run_max_rate_check CHECK (max_rate > 0),
    ADD CONSTRAINT run_wish_check CHECK (wish IN ('pause', 'cancel', 'brake')),
    ADD CONSTRAINT run_wish_by_check CHECK ((wish IS NULL) = (wish_at IS NULL)),
    ADD CONSTRAINT run_pause_cause_check
        CHECK (pause_cause IN ('request', 'brake', 'stop', 'refused', 'unreachable'));
COMMENT ON COLUMN sortie.run.protocol IS 'The version of the record protocol it was begun under; workers of another one may not join.';
COMMENT ON COLUMN sortie.run.unconfirmed IS 'What becomes of recipients in doubt: keep (they stay unknown) or resend.';
COMMENT ON COLUMN sortie.run.max_rate IS 'Requests per second that all its workers together may send; null for no limit.';
COMMENT ON COLUMN sortie.run.wish IS 'What its workers are asked to do: pause, cancel, or stop because of a brake; null for nothing.';
COMMENT ON COLUMN sortie.run.wish_by IS 'Who asked.';
COMMENT ON COLUMN sortie.run.wish_text IS 'Why, for people.';
COMMENT ON COLUMN sortie.run.wish_at IS 'When it was asked.';
COMMENT ON COLUMN sortie.run.paused_from IS 'The state it was in before it was paused last, to which it goes back.';
COMMENT ON COLUMN sortie.run.pause_cause IS 'Why it is paused: request (a person), brake, stop (its process was stopped), refused (credentials, campaign or audience), unreachable.';
COMMENT ON COLUMN sortie.run.starts_at IS 'When it is planned to start; null for at once.';
COMMENT ON COLUMN sortie.run.worker_id IS 'The worker that leads: it freezes, judges the canary, applies what answers say about tokens, and changes states; null if nobody does.';
COMMENT ON COLUMN sortie.run.lease_epoch IS 'Raised by every change of the lead; a lead with an older number may not change the run.';

ALTER TABLE sortie.worker
    ADD COLUMN protocol integer NOT NULL DEFAULT 1,
    ADD COLUMN pid_space text NOT NULL DEFAULT '',
    ADD COLUMN rate_share integer NOT NULL DEFAULT 0,
    ADD COLUMN allows_marking boolean NOT NULL DEFAULT true,
    ADD CONSTRAINT worker_rate_share_check CHECK (rate_share >= 0);
COMMENT ON COLUMN sortie.worker.protocol IS 'The version of the record protocol that it speaks.';
COMMENT ON COLUMN sortie.worker.pid_space IS 'The boot and the space of process ids that pid counts in: only there it can be told whether the process lives.';
COMMENT ON COLUMN sortie.worker.rate_share IS 'Its share of the run''s max_rate, in thousandths of a request per second.';
COMMENT ON COLUMN sortie.worker.allows_marking IS 'Whether what it saw so far lets refused tokens be marked as invalid.';
COMMENT ON TABLE sortie.worker IS 'One process working on one run. A row that has ended may not write any more.';

ALTER TABLE sortie.retry ADD COLUMN worker_id integer;
UPDATE sortie.retry AS t
SET worker_id = coalesce((SELECT max(w.id) FROM sortie.worker AS w WHERE w.run_id = t.run_id), 0)
WHERE announced;
ALTER TABLE sortie.retry
    ADD CONSTRAINT retry_announced_check CHECK (announced <= (worker_id IS NOT NULL));
DROP INDEX sortie.retry_due_index;
CREATE INDEX retry_due_index ON sortie.retry (run_id, phase, not_before) WHERE worker_id IS NULL;
CREATE INDEX retry_worker_index ON sortie.retry (run_id, worker_id) WHERE worker_id IS NOT NULL;
COMMENT ON COLUMN sortie.retry.worker_id IS 'The worker that has claimed it to send it; null while it only waits.';

-- States --------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION sortie.state_may_follow(before text, after text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE before
        WHEN 'planned' THEN after IN ('freezing', 'paused', 'failed', 'cancelled')
        WHEN 'freezing' THEN after IN ('preflight', 'canary', 'sending', 'finished', 'paused',
            'failed', 'cancelled')
        WHEN 'preflight' THEN after IN ('canary', 'sending', 'finished', 'paused', 'failed',
            'cancelled')
        WHEN 'canary' THEN after IN ('sending', 'paused', 'failed', 'cancelled')
        -- A crash before anybody but the canary was sent to leads back to it.
        WHEN 'sending' THEN after IN ('canary', 'retrying', 'finished', 'paused', 'failed',
            'cancelled')
        WHEN 'retrying' THEN after IN ('sending', 'finished', 'paused', 'failed', 'cancelled')
        WHEN 'paused' THEN after IN ('planned', 'freezing', 'preflight', 'canary', 'sending',
            'retrying', 'failed', 'cancelled')
        WHEN 'failed' THEN after = 'freezing'
        ELSE false
    END $$;

CREATE OR REPLACE FUNCTION sortie.check_run_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unsent bigint;
BEGIN
    IF NOT sortie.state_may_follow(OLD.state, NEW.state)
        OR (OLD.state = 'failed' AND OLD.frozen_at IS NOT NULL)
    THEN
        RAISE EXCEPTION 'run % is % and can not become %', OLD.id, OLD.state, NEW.state
            USING ERRCODE = 'ST001';
    END IF;
    IF NEW.state = 'finished' THEN
        SELECT coalesce(NEW.recipients, 0) - coalesce(sum(t.count), 0) INTO unsent
        FROM sortie.tally AS t
        WHERE t.run_id = NEW.id AND t.phase = CASE WHEN NEW.probe_only THEN 1 ELSE 2 END;
        IF NEW.recipients IS NULL OR unsent <> 0 THEN
            RAISE EXCEPTION 'run % can not be finished: % of its recipients have no outcome yet',
                NEW.id, unsent USING ERRCODE = 'ST001';
        END IF;
    END IF;
    NEW.state_at := clock_timestamp();
    NEW.finished_at := CASE WHEN NEW.state IN ('finished', 'failed', 'cancelled')
        THEN clock_timestamp() END;
    IF NEW.state = 'paused' THEN
        NEW.paused_from := OLD.state;
    ELSE
        NEW.pause_cause := NULL;
    END IF;
    -- What was asked for has been done, or can not be done any more.
    IF NEW.state IN ('paused', 'finished', 'failed', 'cancelled') THEN
        NEW.wish := NULL;
        NEW.wish_by := NULL;
        NEW.wish_text := NULL;
        NEW.wish_at := NULL;
    END IF;
    INSERT INTO sortie.run_event (run_id, kind, text, worker_id)
    VALUES (NEW.id, 'state', OLD.state || ' -> ' || NEW.state
        || coalesce(': ' || CASE WHEN NEW.state IN ('paused', 'failed', 'cancelled')
            THEN NEW.stop_reason END, ''), NEW.worker_id);
    RETURN NEW;
END $$;

-- Workers -------------------------------------------------------------------------------------

CREATE FUNCTION sortie.settle_doubt(run bigint, worker integer, at timestamptz) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    phase smallint;
    rule text;
    settled bigint;
    total bigint := 0;
BEGIN
    IF to_regclass(format('sortie.outcome_%s', run)) IS NULL THEN
        RETURN 0;
    END IF;
    FOREACH phase IN ARRAY ARRAY[1, 2]::smallint[] LOOP
        SELECT CASE WHEN phase = 1 THEN 'keep' ELSE r.unconfirmed END INTO rule
        FROM sortie.run AS r WHERE r.id = run;
        -- In doubt: announced in a slice of the worker's and neither recorded nor parked, or
        -- announced from the retry list.
        EXECUTE format($sql$
            WITH doubt AS MATERIALIZED (
                SELECT r.ordinal, s.number AS slice, 0::smallint AS attempts
                FROM sortie.slice AS s
                JOIN sortie.recipient_%1$s AS r
                    ON r.ordinal BETWEEN s.first_ordinal AND s.sending_through
                WHERE s.run_id = $1 AND s.phase = $2 AND s.worker_id = $3 AND s.state = 'leased'
                    AND (r.probe OR s.phase = 2)
                    AND NOT EXISTS (SELECT FROM sortie.outcome_%1$s AS o
                        WHERE o.phase = $2 AND o.ordinal = r.ordinal)
                    AND NOT EXISTS (SELECT FROM sortie.retry AS t
                        WHERE t.run_id = $1 AND t.phase = $2 AND t.ordinal = r.ordinal)
                UNION ALL
                SELECT t.ordinal, NULL, t.attempts
                FROM sortie.retry AS t
                WHERE t.run_id = $1 AND t.phase = $2 AND t.worker_id = $3 AND t.announced
            ), progress AS (
                UPDATE sortie.slice AS s
                SET recorded = s.recorded + d.count,
                    state = CASE WHEN s.recorded + d.count = s.size THEN 'done' ELSE s.state END
                FROM (SELECT slice, count(*) FROM doubt WHERE slice IS NOT NULL GROUP BY slice) AS d
                WHERE s.run_id = $1 AND s.phase = $2 AND s.number = d.slice
            ), parked AS (
                INSERT INTO sortie.retry AS t (run_id, phase, ordinal, attempts, cause, not_before)
                SELECT $1, $2, ordinal, attempts + 1, 4, $5 FROM doubt WHERE $4 = 'resend'
                ON CONFLICT ON CONSTRAINT retry_pkey DO UPDATE
                SET attempts = excluded.attempts, cause = excluded.cause, reason = NULL,
                    not_before = excluded.not_before, announced = false, worker_id = NULL
            ), unparked AS (
                DELETE FROM sortie.retry AS t USING doubt AS d
                WHERE $4 = 'keep' AND t.run_id = $1 AND t.phase = $2 AND t.ordinal = d.ordinal
            ), settled AS (
                INSERT INTO sortie.outcome_%1$s (run_id, ordinal, latency_us, worker_id, phase,
                    outcome, status, attempts, connection, reason)
                SELECT $1, ordinal, 0, $3, $2, 3, 0, attempts + 1, 0, sortie.lost_worker_reason()
                FROM doubt WHERE $4 = 'keep'
            ), tallied AS (
                INSERT INTO sortie.tally AS t (run_id, phase, worker_id, outcome, reason, count)
                SELECT $1, $2, $3, 3, sortie.lost_worker_reason(), count(*)
                FROM doubt WHERE $4 = 'keep' HAVING count(*) > 0
                ON CONFLICT ON CONSTRAINT tally_pkey DO UPDATE SET count = t.count + excluded.count
            ), tallied_minute AS (
                INSERT INTO sortie.tally_minute AS t (run_id, phase, worker_id, minute, outcome,
                    count)
                SELECT $1, $2, $3, date_trunc('minute', $5), 3, count(*)
                FROM doubt WHERE $4 = 'keep' HAVING count(*) > 0
                ON CONFLICT ON CONSTRAINT tally_minute_pkey
                    DO UPDATE SET count = t.count + excluded.count
            )
            SELECT count(*) FROM doubt
        $sql$, run) INTO settled USING run, phase, worker, rule, at;
        total := total + settled;
    END LOOP;
    RETURN total;
END $$;
COMMENT ON FUNCTION sortie.settle_doubt IS
    'Gives an end to the recipients that a lost worker may have sent to: unknown, or a place in the retry list, as the run''s unconfirmed says; probes are unknown. Says how many. A part of evict_worker().';

CREATE FUNCTION sortie.lost_worker_reason() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT 'worker lost before the answer was recorded' $$;
COMMENT ON FUNCTION sortie.lost_worker_reason IS 'The reason of outcomes that evict_worker() writes.';

CREATE FUNCTION sortie.free_worker_leases(run bigint, worker integer) RETURNS void
    LANGUAGE sql AS $$
    UPDATE sortie.slice AS s SET state = 'open'
    WHERE s.run_id = $1 AND s.worker_id = $2 AND s.state = 'leased';
    UPDATE sortie.retry AS t SET worker_id = NULL
    WHERE t.run_id = $1 AND t.worker_id = $2 AND NOT t.announced;
    UPDATE sortie.run AS r SET worker_id = NULL WHERE r.id = $1 AND r.worker_id = $2;
$$;
COMMENT ON FUNCTION sortie.free_worker_leases IS 'Lets others have what a worker that has ended held: its slices, its claims in the retry list, the lead.';

-- It does not wait long for a transaction of the worker's: a machine that lost its power in the
-- middle of one must not hold up the evictor, whose own lease goes on meanwhile.
CREATE FUNCTION sortie.evict_worker(worker integer, reason text, force boolean) RETURNS bigint
    LANGUAGE plpgsql SET lock_timeout = '300ms' AS $$
DECLARE
    run bigint;
    doubt bigint;
    moment timestamptz := clock_timestamp();
BEGIN
    SELECT w.run_id INTO run FROM sortie.worker AS w WHERE w.id = worker;
    PERFORM FROM sortie.run AS r WHERE r.id = run FOR NO KEY UPDATE;
    -- A transaction of the worker's own holds its row: it is waited for, and looked at again.
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
COMMENT ON FUNCTION sortie.evict_worker IS
    'Ends a worker whose lease has run out (or, with force, at once), settles the doubt it leaves and frees what it held, all in one transaction. Says how many recipients were in doubt; null if it had ended or is alive.';

CREATE FUNCTION sortie.live_workers(run bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM sortie.worker AS w
    WHERE w.run_id = $1 AND w.ended_at IS NULL AND w.lease_expires_at >= clock_timestamp()
$$;
COMMENT ON FUNCTION sortie.live_workers IS 'How many workers of a run have a lease.';

CREATE FUNCTION sortie.take_lead(worker integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    run bigint;
    lead integer;
    epoch integer;
BEGIN
    SELECT w.run_id INTO run FROM sortie.worker AS w WHERE w.id = worker;
    SELECT r.worker_id, r.lease_epoch INTO lead, epoch
    FROM sortie.run AS r WHERE r.id = run FOR NO KEY UPDATE;
    PERFORM FROM sortie.worker AS w WHERE w.id = worker AND w.ended_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF lead = worker THEN
        RETURN epoch;
    END IF;
    IF EXISTS (SELECT FROM sortie.worker AS w
        WHERE w.id = lead AND w.ended_at IS NULL AND w.lease_expires_at >= clock_timestamp())
    THEN
        RETURN NULL;
    END IF;
    UPDATE sortie.run AS r SET worker_id = worker, lease_epoch = r.lease_epoch + 1
    WHERE r.id = run
    RETURNING r.lease_epoch INTO epoch;
    INSERT INTO sortie.run_event (run_id, worker_id, kind, text)
    VALUES (run, worker, 'lead', format('worker %s leads', worker));
    RETURN epoch;
END $$;
COMMENT ON FUNCTION sortie.take_lead IS 'Makes a worker the lead of its run if no other live one is. Returns the lease epoch it leads under; null if another leads or it has ended.';

CREATE FUNCTION sortie.take_share(worker integer, wanted integer) RETURNS integer
    LANGUAGE plpgsql AS $$
DECLARE
    run bigint;
    free bigint;
    granted integer;
BEGIN
    SELECT w.run_id INTO run FROM sortie.worker AS w WHERE w.id = worker;
    SELECT (r.max_rate * 1000)::bigint INTO free
    FROM sortie.run AS r WHERE r.id = run FOR NO KEY UPDATE;
    -- Read after the lock, so that two workers never take the same part. The share of a lost worker
    -- counts until it is evicted; that of one that has left, for the second in which it may have
    -- sent.
    SELECT free - coalesce(sum(w.rate_share), 0) INTO free
    FROM sortie.worker AS w
    WHERE w.run_id = run AND w.id <> worker
        AND (w.ended_at IS NULL OR w.ended_at > clock_timestamp() - interval '1.1 seconds');
    UPDATE sortie.worker AS w SET rate_share = greatest(0, least(wanted, free))
    WHERE w.id = worker AND w.ended_at IS NULL
    RETURNING w.rate_share INTO granted;
    RETURN granted;
END $$;
COMMENT ON FUNCTION sortie.take_share IS 'Gives a worker so much of its run''s max_rate as it wants and the others leave, in thousandths of a request per second. Null if it has ended.';

CREATE FUNCTION sortie.leave_run(worker integer, reason text, pause_cause text) RETURNS text
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    run sortie.run;
    doubt bigint;
BEGIN
    SELECT r.* INTO run FROM sortie.run AS r
    WHERE r.id = (SELECT w.run_id FROM sortie.worker AS w WHERE w.id = $1)
    FOR NO KEY UPDATE;
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
COMMENT ON FUNCTION sortie.leave_run IS
    'Ends a worker that has recorded everything it knows. The last one out does what was asked for (pause, cancel), or pauses the run with the cause given, if there is one. Returns the run''s state; null if the worker had ended.';

-- People --------------------------------------------------------------------------------------

CREATE FUNCTION sortie.undo_token_status(run bigint) RETURNS bigint LANGUAGE sql AS $$
    -- One at a time with whatever else changes many devices.
    SELECT pg_advisory_xact_lock(7071112);
    WITH last AS (
        SELECT DISTINCT ON (e.device_id) e.*
        FROM sortie.device_event AS e
        WHERE e.run_id = $1
        ORDER BY e.device_id, e.id DESC
    ), locked AS MATERIALIZED (
        SELECT d.id, d.status, d.status_reason, d.status_at, d.status_cause_at,
            e.status_before, e.reason_before, e.status_at_before, e.status_cause_at_before
        FROM last AS e
        JOIN sortie.device AS d ON d.id = e.device_id
        WHERE e.reason IS DISTINCT FROM 'undone' AND d.status = e.status_after
            AND d.status_at = e.at
        ORDER BY d.token, d.app, d.environment
        FOR NO KEY UPDATE OF d
    ), changed AS (
        UPDATE sortie.device AS d
        SET status = l.status_before, status_reason = l.reason_before,
            status_at = now(), status_cause_at = l.status_cause_at_before
        FROM locked AS l
        WHERE d.id = l.id
    ), event AS (
        INSERT INTO sortie.device_event (device_id, run_id, cause_at, status_at_before,
            status_cause_at_before, status_before, status_after, reason, reason_before)
        SELECT l.id, $1, NULL, l.status_at, l.status_cause_at, l.status, l.status_before,
            'undone', l.status_reason
        FROM locked AS l
    )
    SELECT count(*) FROM locked;
$$;
COMMENT ON FUNCTION sortie.undo_token_status IS
    'Restores the devices whose status a run set, where they still are as the run left them, with an event for each. Says how many.';

CREATE FUNCTION sortie.grant_wish(run bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    asked sortie.run;
BEGIN
    SELECT r.* INTO asked FROM sortie.run AS r WHERE r.id = run FOR NO KEY UPDATE;
    IF asked.wish = 'cancel' THEN
        UPDATE sortie.run AS r SET state = 'cancelled', stop_reason = asked.wish_text
        WHERE r.id = run;
        PERFORM sortie.settle_run_tables(run);
        RETURN 'cancelled';
    END IF;
    IF asked.wish = 'brake' THEN
        PERFORM sortie.undo_token_status(run);
    END IF;
    UPDATE sortie.run AS r SET state = 'paused', stop_reason = asked.wish_text,
        pause_cause = CASE asked.wish WHEN 'brake' THEN 'brake' ELSE 'request' END
    WHERE r.id = run;
    RETURN 'paused';
END $$;
COMMENT ON FUNCTION sortie.grant_wish IS 'Does what a run was asked for, when no worker is at it any more.';

CREATE FUNCTION sortie.evict_dead_workers(run bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    lost integer;
    doubt bigint := 0;
BEGIN
    FOR lost IN SELECT w.id FROM sortie.worker AS w
        WHERE w.run_id = run AND w.ended_at IS NULL AND w.lease_expires_at < clock_timestamp()
        ORDER BY w.id
    LOOP
        BEGIN
            doubt := doubt
                + coalesce(sortie.evict_worker(lost, 'its lease ran out', false), 0);
        EXCEPTION WHEN lock_not_available THEN
            -- Its session still holds something; whoever looks next tries again.
            NULL;
        END;
    END LOOP;
    RETURN doubt;
END $$;
COMMENT ON FUNCTION sortie.evict_dead_workers IS 'Evicts the workers of a run whose lease has run out, as far as their sessions allow. Says how many recipients were in doubt.';

CREATE FUNCTION sortie.ask_run(run bigint, wish text, by text, text text) RETURNS text
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
    -- A wish to cancel is not taken back by one to pause.
    UPDATE sortie.run AS r SET wish = $2, wish_by = $3, wish_text = $4, wish_at = clock_timestamp()
    WHERE r.id = $1 AND coalesce(r.wish, '') <> 'cancel';
    INSERT INTO sortie.run_event (run_id, kind, text) VALUES ($1, 'wish', $4);
    IF sortie.live_workers($1) > 0 THEN
        RETURN 'asked';
    END IF;
    RETURN sortie.grant_wish($1);
END $$;
COMMENT ON FUNCTION sortie.ask_run IS
    'Asks the workers of a run to stop, and why. Returns asked (they will within seconds), or the state the run has now if nobody was at work.';

CREATE FUNCTION sortie.pause_run(run bigint, by text DEFAULT session_user) RETURNS text
    LANGUAGE sql AS $$ SELECT sortie.ask_run($1, 'pause', $2, 'paused by ' || $2) $$;
COMMENT ON FUNCTION sortie.pause_run IS 'Pauses a run: its workers wait for the answers on the wire and stop. Only resume_run() or sortie resume lets it go on.';

CREATE FUNCTION sortie.cancel_run(run bigint, by text DEFAULT session_user) RETURNS text
    LANGUAGE sql AS $$ SELECT sortie.ask_run($1, 'cancel', $2, 'cancelled by ' || $2) $$;
COMMENT ON FUNCTION sortie.cancel_run IS 'Ends a run for good: its workers wait for the answers on the wire and stop, and the rest stays unsent.';

CREATE FUNCTION sortie.resume_run(run bigint, by text DEFAULT session_user) RETURNS text
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
    IF (SELECT r.state FROM sortie.run AS r WHERE r.id = $1) = 'cancelled' THEN
        RETURN 'cancelled';
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
COMMENT ON FUNCTION sortie.resume_run IS 'Lets a paused run go on: sortie work takes it up, or sortie resume. Returns its state.';

-- Doubt of runs that were interrupted under the former protocol, where it was settled only when the
-- run was taken up again: their slices may be open. Given to the last worker, it is settled now.
UPDATE sortie.slice AS s SET state = 'leased',
    worker_id = (SELECT max(w.id) FROM sortie.worker AS w WHERE w.run_id = s.run_id)
FROM sortie.run AS r
WHERE r.id = s.run_id AND r.finished_at IS NULL AND s.state <> 'done'
    AND EXISTS (SELECT FROM sortie.worker AS w WHERE w.run_id = s.run_id);
SELECT sortie.settle_doubt(w.run_id, w.id, clock_timestamp()),
    sortie.free_worker_leases(w.run_id, w.id)
FROM (SELECT w.run_id, max(w.id) AS id FROM sortie.worker AS w GROUP BY w.run_id) AS w
JOIN sortie.run AS r ON r.id = w.run_id AND r.finished_at IS NULL;
UPDATE sortie.worker SET ended_at = clock_timestamp(), end_reason = 'the program was renewed'
WHERE ended_at IS NULL;

-- Reports -------------------------------------------------------------------------------------

CREATE VIEW report.run_worker AS
SELECT w.run_id, w.id AS worker_id, w.host, w.pid, w.version,
    CASE WHEN w.ended_at IS NOT NULL THEN 'ended'
        WHEN w.lease_expires_at < clock_timestamp() THEN 'lost'
        WHEN r.worker_id = w.id THEN 'leads'
        ELSE 'works' END AS role,
    w.started_at, w.heartbeat_at, w.lease_expires_at,
    held.slices AS slices_held, held.announced AS slice_recipients_announced,
    held.recorded AS slice_recipients_recorded, claimed.parked AS parked_claimed,
    CASE WHEN r.max_rate IS NOT NULL THEN w.rate_share / 1000.0 END AS rate_share,
    done.recipients AS recipients_recorded, w.ended_at, w.end_reason
FROM sortie.worker AS w
JOIN sortie.run AS r ON r.id = w.run_id
LEFT JOIN LATERAL (
    SELECT count(*) AS slices,
        coalesce(sum(s.sending_through - s.first_ordinal + 1), 0)::bigint AS announced,
        coalesce(sum(s.recorded), 0)::bigint AS recorded
    FROM sortie.slice AS s
    WHERE s.run_id = w.run_id AND s.worker_id = w.id AND s.state = 'leased'
) AS held ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS parked FROM sortie.retry AS t
    WHERE t.run_id = w.run_id AND t.worker_id = w.id
) AS claimed ON true
LEFT JOIN LATERAL (
    SELECT coalesce(sum(t.count), 0)::bigint AS recipients FROM sortie.tally AS t
    WHERE t.run_id = w.run_id AND t.worker_id = w.id
) AS done ON true;
COMMENT ON VIEW report.run_worker IS 'Each worker of a run and what it holds.';
COMMENT ON COLUMN report.run_worker.run_id IS 'The run.';
COMMENT ON COLUMN report.run_worker.worker_id IS 'The worker.';
COMMENT ON COLUMN report.run_worker.host IS 'The machine.';
COMMENT ON COLUMN report.run_worker.pid IS 'The process id.';
COMMENT ON COLUMN report.run_worker.version IS 'The program''s version.';
COMMENT ON COLUMN report.run_worker.role IS 'leads, works, lost (its lease has run out, and nobody has taken over yet) or ended.';
COMMENT ON COLUMN report.run_worker.started_at IS 'When it joined the run.';
COMMENT ON COLUMN report.run_worker.heartbeat_at IS 'When it was last heard of.';
COMMENT ON COLUMN report.run_worker.lease_expires_at IS 'When others take over what it holds, if it is not heard of before.';
COMMENT ON COLUMN report.run_worker.slices_held IS 'Slices that it has leased.';
COMMENT ON COLUMN report.run_worker.slice_recipients_announced IS 'Recipients of those slices up to their marks: what may be on the wire or recorded.';
COMMENT ON COLUMN report.run_worker.slice_recipients_recorded IS 'Recipients of those slices that are recorded or parked.';
COMMENT ON COLUMN report.run_worker.parked_claimed IS 'Parked recipients that it is about to send to.';
COMMENT ON COLUMN report.run_worker.rate_share IS 'Its share of max_rate, requests per second; null if the run has none.';
COMMENT ON COLUMN report.run_worker.recipients_recorded IS 'Recipients whose outcome it has recorded, probes included.';
COMMENT ON COLUMN report.run_worker.ended_at IS 'When it ended.';
COMMENT ON COLUMN report.run_worker.end_reason IS 'Why it ended.';

CREATE VIEW report.run_status AS
SELECT r.id AS run_id, r.campaign, r.occurrence, r.state, r.state_at,
    CASE WHEN r.state IN ('finished', 'failed', 'cancelled') THEN 'nothing: it has ended'
        WHEN r.wish IS NOT NULL THEN r.wish_text || ': its workers are stopping'
        WHEN r.state = 'paused' THEN 'nothing until it is resumed: sortie resume ' || r.id
        WHEN w.live = 0 THEN 'nothing: nobody works on it. sortie resume ' || r.id
            || ' or sortie work takes it up'
        WHEN r.state = 'planned' THEN 'its start'
        WHEN r.state = 'freezing' THEN 'its audience is fixed, then the preflight'
        WHEN r.state = 'preflight' THEN 'the preflight ends, then the main send'
        WHEN r.state = 'canary' THEN 'the canary is judged, then the main send'
        WHEN r.state = 'retrying' THEN 'the next of ' || t.parked || ' parked recipients is sent to'
        ELSE 'the main send goes on' END AS next_step,
    CASE WHEN r.state IN ('paused', 'finished', 'failed', 'cancelled') OR w.live = 0 THEN NULL
        WHEN r.state = 'planned' THEN r.starts_at
        WHEN r.state = 'retrying' THEN t.next_at END AS next_step_at,
    r.pause_cause, r.stop_reason, r.wish, r.wish_by, r.wish_at,
    w.live AS workers, r.worker_id AS lead_worker_id, w.heartbeat_at AS last_heard_at,
    done.at AS last_progress_at, r.max_rate
FROM sortie.run AS r
LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE w.ended_at IS NULL AND w.lease_expires_at >= clock_timestamp())
        AS live, max(w.heartbeat_at) AS heartbeat_at
    FROM sortie.worker AS w WHERE w.run_id = r.id
) AS w ON true
LEFT JOIN LATERAL (
    SELECT count(*) AS parked, min(t.not_before) FILTER (WHERE t.worker_id IS NULL) AS next_at
    FROM sortie.retry AS t WHERE t.run_id = r.id
) AS t ON true
LEFT JOIN LATERAL (
    SELECT max(m.minute) AS at FROM sortie.tally_minute AS m WHERE m.run_id = r.id
) AS done ON true;
COMMENT ON VIEW report.run_status IS 'What each run is at, what comes next and when, and who works on it.';
COMMENT ON COLUMN report.run_status.run_id IS 'The run.';
COMMENT ON COLUMN report.run_status.campaign IS 'The campaign.';
COMMENT ON COLUMN report.run_status.occurrence IS 'The occurrence.';
COMMENT ON COLUMN report.run_status.state IS 'As in sortie.run.';
COMMENT ON COLUMN report.run_status.state_at IS 'Since when.';
COMMENT ON COLUMN report.run_status.next_step IS 'What comes next, for people.';
COMMENT ON COLUMN report.run_status.next_step_at IS 'When, if the moment is known.';
COMMENT ON COLUMN report.run_status.pause_cause IS 'Why it is paused: request, brake, stop, refused or unreachable.';
COMMENT ON COLUMN report.run_status.stop_reason IS 'The same as a sentence.';
COMMENT ON COLUMN report.run_status.wish IS 'What its workers were asked to do and have not done yet: pause, cancel or brake.';
COMMENT ON COLUMN report.run_status.wish_by IS 'Who asked.';
COMMENT ON COLUMN report.run_status.wish_at IS 'When.';
COMMENT ON COLUMN report.run_status.workers IS 'Workers with a lease.';
COMMENT ON COLUMN report.run_status.lead_worker_id IS 'The worker that leads.';
COMMENT ON COLUMN report.run_status.last_heard_at IS 'When a worker was last heard of.';
COMMENT ON COLUMN report.run_status.last_progress_at IS 'The last minute in which an outcome was recorded.';
COMMENT ON COLUMN report.run_status.max_rate IS 'Requests per second that all workers together may send; null for no limit.';
