-- Functions: the words behind the numbers, the door for app backends, rules of a run's states.

CREATE FUNCTION sortie.phase_name(phase smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE phase WHEN 1 THEN 'probe' WHEN 2 THEN 'send' END $$;
COMMENT ON FUNCTION sortie.phase_name IS 'The word for a phase''s number.';

CREATE FUNCTION sortie.outcome_name(outcome smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE outcome
        WHEN 1 THEN 'accepted' WHEN 2 THEN 'rejected' WHEN 3 THEN 'unknown' WHEN 4 THEN 'skipped'
    END $$;
COMMENT ON FUNCTION sortie.outcome_name IS 'The word for an outcome''s number.';

CREATE FUNCTION sortie.park_cause_name(cause smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE cause
        WHEN 1 THEN 'transient' WHEN 2 THEN 'too many requests' WHEN 3 THEN 'released'
        WHEN 4 THEN 'unconfirmed' WHEN 5 THEN 'refused'
    END $$;
COMMENT ON FUNCTION sortie.park_cause_name IS 'The word for a retry cause''s number.';

-- Devices -------------------------------------------------------------------------------------

CREATE FUNCTION sortie.normal_token(token text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT lower(regexp_replace(token, '[<>[:space:]]', '', 'g')) $$;
COMMENT ON FUNCTION sortie.normal_token IS 'A token without the brackets and blanks of old descriptions, in lower case.';

CREATE FUNCTION sortie.register_device(
    app text, environment text, token text, user_id text DEFAULT NULL,
    device_key text DEFAULT NULL, locale text DEFAULT NULL, time_zone text DEFAULT NULL,
    os_version text DEFAULT NULL, model text DEFAULT NULL, app_version text DEFAULT NULL,
    attributes jsonb DEFAULT '{}', registered_at timestamptz DEFAULT now()
) RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    old sortie.device;
    device_id bigint;
BEGIN
    INSERT INTO sortie.device AS d (app, environment, token, user_id, device_key, locale,
        time_zone, os_version, model, app_version, attributes, registered_at)
    VALUES ($1, $2, sortie.normal_token($3), $4, $5, $6, $7, $8, $9, $10,
        coalesce($11, '{}'), $12)
    ON CONFLICT ON CONSTRAINT device_token_unique DO NOTHING
    RETURNING id INTO device_id;
    IF device_id IS NOT NULL THEN
        RETURN device_id;
    END IF;

    SELECT * INTO old FROM sortie.device AS d
    WHERE d.app = $1 AND d.environment = $2 AND d.token = sortie.normal_token($3)
    FOR NO KEY UPDATE;
    UPDATE sortie.device AS d SET
        user_id = coalesce($4, d.user_id), device_key = coalesce($5, d.device_key),
        locale = coalesce($6, d.locale), time_zone = coalesce($7, d.time_zone),
        os_version = coalesce($8, d.os_version), model = coalesce($9, d.model),
        app_version = coalesce($10, d.app_version),
        attributes = d.attributes || coalesce($11, '{}'),
        registered_at = greatest(d.registered_at, $12)
    WHERE d.id = old.id;
    IF old.status IN ('unregistered', 'invalid', 'replaced')
        AND $12 > coalesce(old.status_cause_at, '-infinity')
    THEN
        UPDATE sortie.device AS d
        SET status = 'active', status_reason = 'registered', status_at = now(),
            status_cause_at = $12
        WHERE d.id = old.id;
        INSERT INTO sortie.device_event (device_id, cause_at, status_at_before,
            status_cause_at_before, status_before, status_after, reason, reason_before)
        VALUES (old.id, $12, old.status_at, old.status_cause_at, old.status, 'active',
            'registered', old.status_reason);
    END IF;
    RETURN old.id;
END $$;
COMMENT ON FUNCTION sortie.register_device IS
    'To be called whenever an app reports its token. Creates or updates the device and returns its id; null leaves a value as it is, attributes are merged; a registration after the cause of a dead status revives the device.';

CREATE FUNCTION sortie.replace_device(
    app text, environment text, device_key text, token text, user_id text DEFAULT NULL,
    locale text DEFAULT NULL, time_zone text DEFAULT NULL, os_version text DEFAULT NULL,
    model text DEFAULT NULL, app_version text DEFAULT NULL, attributes jsonb DEFAULT '{}',
    registered_at timestamptz DEFAULT now()
) RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    new_id bigint;
BEGIN
    -- Tokens of one device are locked in the order in which imports lock them.
    PERFORM 1 FROM sortie.device AS d
    WHERE d.app = $1 AND d.environment = $2
        AND (d.device_key = $3 OR d.token = sortie.normal_token($4))
    ORDER BY d.token FOR NO KEY UPDATE;

    new_id := sortie.register_device($1, $2, $4, $5, $3, $6, $7, $8, $9, $10, $11, $12);

    WITH old AS (
        SELECT * FROM sortie.device AS d
        WHERE d.app = $1 AND d.environment = $2 AND d.device_key = $3 AND d.id <> new_id
            AND d.status = 'active' AND coalesce(d.registered_at, '-infinity') <= $12
    ), changed AS (
        UPDATE sortie.device AS d
        SET status = 'replaced', status_reason = 'replaced', status_at = now(),
            status_cause_at = $12
        FROM old WHERE d.id = old.id
    )
    INSERT INTO sortie.device_event (device_id, cause_at, status_at_before,
        status_cause_at_before, status_before, status_after, reason, reason_before)
    SELECT old.id, $12, old.status_at, old.status_cause_at, old.status, 'replaced', 'replaced',
        old.status_reason
    FROM old;
    RETURN new_id;
END $$;
COMMENT ON FUNCTION sortie.replace_device IS
    'As register_device, for apps that name their devices: active tokens of the same device_key that were registered no later become replaced.';

-- Runs ----------------------------------------------------------------------------------------

CREATE FUNCTION sortie.state_may_follow(before text, after text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE before
        WHEN 'planned' THEN after IN ('freezing', 'paused', 'failed', 'cancelled')
        WHEN 'freezing' THEN after IN ('preflight', 'sending', 'finished', 'paused', 'failed',
            'cancelled')
        WHEN 'preflight' THEN after IN ('sending', 'finished', 'paused', 'failed', 'cancelled')
        WHEN 'sending' THEN after IN ('retrying', 'finished', 'paused', 'failed', 'cancelled')
        WHEN 'retrying' THEN after IN ('sending', 'finished', 'paused', 'failed', 'cancelled')
        WHEN 'paused' THEN after IN ('freezing', 'preflight', 'sending', 'retrying', 'failed',
            'cancelled')
        WHEN 'failed' THEN after = 'freezing'
        ELSE false
    END $$;
COMMENT ON FUNCTION sortie.state_may_follow IS 'Which state of a run may follow which. A failed run may only start over, and only before its audience is frozen.';

CREATE FUNCTION sortie.check_run_state() RETURNS trigger LANGUAGE plpgsql AS $$
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
    INSERT INTO sortie.run_event (run_id, kind, text, worker_id)
    VALUES (NEW.id, 'state', OLD.state || ' -> ' || NEW.state
        || coalesce(': ' || CASE WHEN NEW.state IN ('paused', 'failed', 'cancelled')
            THEN NEW.stop_reason END, ''), NEW.worker_id);
    RETURN NEW;
END $$;
COMMENT ON FUNCTION sortie.check_run_state IS 'Refuses changes of a run''s state that are not allowed, and writes an event for those that are.';

CREATE TRIGGER run_state_trigger BEFORE UPDATE OF state ON sortie.run
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state)
    EXECUTE FUNCTION sortie.check_run_state();

-- Partitions ----------------------------------------------------------------------------------
-- Tables are made on their own and then attached: ATTACH lets readers of other runs go on, CREATE
-- TABLE … PARTITION OF would not.

CREATE FUNCTION sortie.create_run_tables(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Rows are only added while the run lasts: a vacuum would take time from the sending and find
    -- nothing. settle_run_tables() turns it on for the end.
    EXECUTE format('CREATE TABLE sortie.recipient_%s (LIKE sortie.recipient INCLUDING ALL) '
        'WITH (autovacuum_enabled = off)', run);
    EXECUTE format('CREATE TABLE sortie.outcome_%s (LIKE sortie.outcome INCLUDING ALL) '
        'WITH (autovacuum_enabled = off)', run);
    EXECUTE format('ALTER TABLE sortie.outcome_%s ADD PRIMARY KEY (phase, ordinal)', run);
    EXECUTE format('ALTER TABLE sortie.outcome ATTACH PARTITION sortie.outcome_%s '
        'FOR VALUES IN (%s)', run, run);
END $$;
COMMENT ON FUNCTION sortie.create_run_tables IS 'Makes the tables of a run''s recipients and outcomes.';

CREATE FUNCTION sortie.attach_recipients(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE sortie.recipient_%s ADD PRIMARY KEY (ordinal)', run);
    EXECUTE format('ALTER TABLE sortie.recipient ATTACH PARTITION sortie.recipient_%s '
        'FOR VALUES IN (%s)', run, run);
END $$;
COMMENT ON FUNCTION sortie.attach_recipients IS 'Indexes a run''s frozen recipients and makes them part of sortie.recipient.';

CREATE FUNCTION sortie.restart_run(run bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    main smallint := (SELECT CASE WHEN r.probe_only THEN 1 ELSE 2 END FROM sortie.run AS r
        WHERE r.id = run);
BEGIN
    -- Accepted, unknown, in doubt, or parked because it was in doubt: it may have reached somebody.
    IF EXISTS (SELECT FROM sortie.tally AS t
            WHERE t.run_id = run AND t.phase = main AND t.outcome IN (1, 3))
        OR EXISTS (SELECT FROM sortie.retry AS t
            WHERE t.run_id = run AND t.phase = main AND (t.announced OR t.cause = 4))
        OR EXISTS (SELECT FROM sortie.slice AS s
            WHERE s.run_id = run AND s.phase = main
                AND s.recorded < s.sending_through - s.first_ordinal + 1)
    THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS sortie.recipient_%s, sortie.outcome_%s', run, run);
    DELETE FROM sortie.retry AS t WHERE t.run_id = run;
    DELETE FROM sortie.slice AS s WHERE s.run_id = run;
    DELETE FROM sortie.tally AS t WHERE t.run_id = run;
    DELETE FROM sortie.tally_minute AS t WHERE t.run_id = run;
    UPDATE sortie.run AS r
    SET frozen_at = NULL, recipients = NULL, probe_recipients = NULL, translations = '{}'
    WHERE r.id = run;
    INSERT INTO sortie.run_event (run_id, kind, text)
    VALUES (run, 'restart', 'nothing had gone out under the old definition: it starts afresh');
    RETURN true;
END $$;
COMMENT ON FUNCTION sortie.restart_run IS
    'Takes a run back to before its audience was frozen, if nothing of it can have reached anybody; says whether it did. Devices pruned stay pruned.';

CREATE FUNCTION sortie.settle_run_tables(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE IF EXISTS sortie.recipient_%s RESET (autovacuum_enabled)', run);
    EXECUTE format('ALTER TABLE IF EXISTS sortie.outcome_%s RESET (autovacuum_enabled)', run);
END $$;
COMMENT ON FUNCTION sortie.settle_run_tables IS 'Lets the server vacuum and analyse an ended run''s tables, for the reports.';

CREATE FUNCTION sortie.drop_run_rows(run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM sortie.run AS r WHERE r.id = run AND r.finished_at IS NULL) THEN
        RAISE EXCEPTION 'run % has not ended', run USING ERRCODE = 'ST001';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS sortie.recipient_%s, sortie.outcome_%s', run, run);
    DELETE FROM sortie.retry AS r WHERE r.run_id = run;
    DELETE FROM sortie.slice AS s WHERE s.run_id = run;
END $$;
COMMENT ON FUNCTION sortie.drop_run_rows IS 'Forgets an ended run''s recipients and outcomes; its totals, journal and device events stay.';
