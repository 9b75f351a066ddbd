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
