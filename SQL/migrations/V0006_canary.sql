-- The canary: recipients of the main send that go first. They wait in the retry list with a cause
-- of their own, and the run has a state while it waits for them.

ALTER TABLE sortie.retry DROP CONSTRAINT retry_cause_check;
ALTER TABLE sortie.retry ADD CONSTRAINT retry_cause_check CHECK (cause BETWEEN 1 AND 6);
COMMENT ON COLUMN sortie.retry.cause IS '1 a 5xx answer; 2 too many requests; 3 released: announced, never sent; 4 unconfirmed: in doubt, to be resent by the campaign''s choice; 5 refused before processing; 6 canary: goes before the others.';

CREATE OR REPLACE FUNCTION sortie.park_cause_name(cause smallint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE cause
        WHEN 1 THEN 'transient' WHEN 2 THEN 'too many requests' WHEN 3 THEN 'released'
        WHEN 4 THEN 'unconfirmed' WHEN 5 THEN 'refused' WHEN 6 THEN 'canary'
    END $$;

ALTER TABLE sortie.run DROP CONSTRAINT run_state_check;
ALTER TABLE sortie.run ADD CONSTRAINT run_state_check CHECK (state IN ('planned', 'freezing',
    'preflight', 'canary', 'sending', 'retrying', 'paused', 'finished', 'failed', 'cancelled'));
COMMENT ON COLUMN sortie.run.state IS 'planned, freezing, preflight, canary, sending, retrying, paused, finished, failed or cancelled.';

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
        WHEN 'paused' THEN after IN ('freezing', 'preflight', 'canary', 'sending', 'retrying',
            'failed', 'cancelled')
        WHEN 'failed' THEN after = 'freezing'
        ELSE false
    END $$;

-- A slice's count of recorded recipients includes those of its canary, which may lie beyond its
-- mark; so whether anybody is in doubt is asked of the recipients themselves.
CREATE OR REPLACE FUNCTION sortie.restart_run(run bigint) RETURNS boolean LANGUAGE plpgsql AS $$
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
            JOIN sortie.recipient AS r ON r.run_id = run
                AND r.ordinal BETWEEN s.first_ordinal AND s.sending_through
            WHERE s.run_id = run AND s.phase = main AND s.state <> 'done'
                AND NOT EXISTS (SELECT FROM sortie.outcome AS o
                    WHERE o.run_id = run AND o.phase = main AND o.ordinal = r.ordinal)
                AND NOT EXISTS (SELECT FROM sortie.retry AS t
                    WHERE t.run_id = run AND t.phase = main AND t.ordinal = r.ordinal))
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
