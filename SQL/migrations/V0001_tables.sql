-- The tables of sortie: devices, runs, and what happened to every recipient.
--
-- Every rule that a row must keep is a named CHECK, so that an error names the rule. The large
-- tables (recipient, outcome, retry) have no foreign keys: a look-up per row would cost more than
-- the row; the program writes them only under a lease of the run.

CREATE SCHEMA report;
COMMENT ON SCHEMA sortie IS 'Tables of the sender. Device tokens are in here: grant with care.';
COMMENT ON SCHEMA report IS 'Views for analysts: no device tokens.';

-- Devices -------------------------------------------------------------------------------------

-- Identifiers compare byte by byte: a language's order would cost more and mean nothing.
CREATE TABLE sortie.device (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    registered_at   timestamptz,
    status_at       timestamptz NOT NULL DEFAULT now(),
    status_cause_at timestamptz,
    app             text COLLATE "C" NOT NULL,
    environment     text COLLATE "C" NOT NULL,
    token           text COLLATE "C" NOT NULL,
    status          text NOT NULL DEFAULT 'active',
    status_reason   text,
    user_id         text COLLATE "C",
    device_key      text COLLATE "C",
    locale          text,
    time_zone       text,
    os_version      text,
    model           text,
    app_version     text,
    attributes      jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT device_token_unique UNIQUE (app, environment, token),
    -- A bounded repetition, {1,255}, would make this check cost more than the insertion.
    CONSTRAINT device_app_check CHECK (app ~ '^[A-Za-z0-9.-]+$' AND length(app) <= 255),
    CONSTRAINT device_environment_check CHECK (environment IN ('production', 'sandbox')),
    CONSTRAINT device_token_check CHECK (token ~ '^[0-9a-f]+$'),
    CONSTRAINT device_token_length_check
        CHECK (length(token) BETWEEN 32 AND 512 AND length(token) % 2 = 0),
    CONSTRAINT device_status_check
        CHECK (status IN ('active', 'unregistered', 'invalid', 'inactive', 'replaced')),
    CONSTRAINT device_status_cause_check
        CHECK (status NOT IN ('unregistered', 'invalid') OR status_cause_at IS NOT NULL),
    CONSTRAINT device_attributes_check CHECK (jsonb_typeof(attributes) = 'object')
) WITH (fillfactor = 90);

CREATE INDEX device_user_index ON sortie.device (user_id, app) WHERE user_id IS NOT NULL;
CREATE INDEX device_key_index ON sortie.device (device_key, app, environment)
    WHERE device_key IS NOT NULL;

COMMENT ON TABLE sortie.device IS
    'One token for one app in one environment, with what is known of it. Never deleted because of an answer.';
COMMENT ON COLUMN sortie.device.id IS 'The device''s number; recipients are frozen in this order.';
COMMENT ON COLUMN sortie.device.registered_at IS
    'When the app last reported this token; null: not known. A 410 with an older time changes nothing.';
COMMENT ON COLUMN sortie.device.status_at IS 'When the status was set, by this database''s clock.';
COMMENT ON COLUMN sortie.device.status_cause_at IS
    'The moment the status speaks of: Apple''s timestamp of a 410, else when the refused push was sent. A registration after it revives the device.';
COMMENT ON COLUMN sortie.device.app IS 'Bundle id; the apns-topic.';
COMMENT ON COLUMN sortie.device.environment IS 'production or sandbox; a token is good in one of them only.';
COMMENT ON COLUMN sortie.device.token IS 'Device token in lower-case hexadecimal digits; usually 64, but Apple promises no length.';
COMMENT ON COLUMN sortie.device.status IS
    'active; unregistered (APNs: 410); invalid (APNs: BadDeviceToken or DeviceTokenNotForTopic); inactive (switched off by hand); replaced (the same device has a newer token).';
COMMENT ON COLUMN sortie.device.status_reason IS 'APNs'' reason or the cause given for the status; null while active from the start.';
COMMENT ON COLUMN sortie.device.user_id IS 'The app''s own name for the user.';
COMMENT ON COLUMN sortie.device.device_key IS 'The app''s own name for the physical device or installation; a new token for the same key replaces the old.';
COMMENT ON COLUMN sortie.device.locale IS 'Language tag as the app reported it, such as en-GB.';
COMMENT ON COLUMN sortie.device.time_zone IS 'IANA time zone, such as Europe/Budapest.';
COMMENT ON COLUMN sortie.device.os_version IS 'Version of the operating system.';
COMMENT ON COLUMN sortie.device.model IS 'Hardware model.';
COMMENT ON COLUMN sortie.device.app_version IS 'Version of the app.';
COMMENT ON COLUMN sortie.device.attributes IS 'Anything else, one JSON object; placeholders and audiences can use its keys.';

-- Runs ----------------------------------------------------------------------------------------

CREATE TABLE sortie.campaign (
    name       text PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT campaign_name_check CHECK (length(name) BETWEEN 1 AND 200)
);
COMMENT ON TABLE sortie.campaign IS 'What a campaign file defines, by name.';
COMMENT ON COLUMN sortie.campaign.name IS 'The campaign''s name, as in its file.';
COMMENT ON COLUMN sortie.campaign.created_at IS 'When it was first run.';

CREATE TABLE sortie.run (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    campaign         text NOT NULL REFERENCES sortie.campaign (name),
    occurrence       text NOT NULL,
    state            text NOT NULL DEFAULT 'planned',
    state_at         timestamptz NOT NULL DEFAULT now(),
    stop_reason      text,
    app              text NOT NULL,
    environment      text NOT NULL,
    recipients       integer,
    probe_recipients integer,
    collapse_id      text,
    expires_at       timestamptz,
    started_at       timestamptz NOT NULL DEFAULT now(),
    frozen_at        timestamptz,
    finished_at      timestamptz,
    started_by       text NOT NULL,
    worker_id        integer,
    lease_epoch      integer NOT NULL DEFAULT 0,
    probe_only       boolean NOT NULL DEFAULT false,
    translations     text[] NOT NULL DEFAULT '{}',
    definition       text NOT NULL,
    definition_hash  text NOT NULL,
    CONSTRAINT run_occurrence_unique UNIQUE (campaign, occurrence),
    CONSTRAINT run_occurrence_check CHECK (length(occurrence) BETWEEN 1 AND 200),
    CONSTRAINT run_state_check CHECK (state IN ('planned', 'freezing', 'preflight', 'sending',
        'retrying', 'paused', 'finished', 'failed', 'cancelled')),
    CONSTRAINT run_environment_check CHECK (environment IN ('production', 'sandbox')),
    CONSTRAINT run_recipients_check
        CHECK (recipients >= 0 AND (frozen_at IS NULL) = (recipients IS NULL)),
    CONSTRAINT run_probe_recipients_check CHECK (probe_recipients BETWEEN 0 AND recipients),
    CONSTRAINT run_collapse_id_check CHECK (octet_length(collapse_id) BETWEEN 1 AND 64),
    CONSTRAINT run_finished_check
        CHECK ((state IN ('finished', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    CONSTRAINT run_lease_epoch_check CHECK (lease_epoch >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE sortie.run IS 'One execution of a campaign. The same occurrence of a campaign never runs twice.';
COMMENT ON COLUMN sortie.run.id IS 'The run''s number.';
COMMENT ON COLUMN sortie.run.campaign IS 'The campaign.';
COMMENT ON COLUMN sortie.run.occurrence IS 'The name of this planned execution, usually a date.';
COMMENT ON COLUMN sortie.run.state IS 'planned, freezing, preflight, sending, retrying, paused, finished, failed or cancelled.';
COMMENT ON COLUMN sortie.run.state_at IS 'When the state last changed.';
COMMENT ON COLUMN sortie.run.stop_reason IS 'Why it last paused, failed or ended early; null if it did not.';
COMMENT ON COLUMN sortie.run.app IS 'Bundle id.';
COMMENT ON COLUMN sortie.run.environment IS 'production or sandbox.';
COMMENT ON COLUMN sortie.run.recipients IS 'Size of the frozen audience; null before it is frozen.';
COMMENT ON COLUMN sortie.run.probe_recipients IS 'How many of them are probed before the send.';
COMMENT ON COLUMN sortie.run.collapse_id IS 'The apns-collapse-id of every push of the run; null for none.';
COMMENT ON COLUMN sortie.run.expires_at IS 'When APNs may give a push up; null leaves it to APNs; the start of 1970 means now or never.';
COMMENT ON COLUMN sortie.run.started_at IS 'When it was first opened.';
COMMENT ON COLUMN sortie.run.frozen_at IS 'When the audience was fixed.';
COMMENT ON COLUMN sortie.run.finished_at IS 'When it came to a final state.';
COMMENT ON COLUMN sortie.run.started_by IS 'Who started it.';
COMMENT ON COLUMN sortie.run.worker_id IS 'The worker that holds it; null if nobody does.';
COMMENT ON COLUMN sortie.run.lease_epoch IS 'Raised by every change of holder; a worker with an older number may not write.';
COMMENT ON COLUMN sortie.run.probe_only IS 'The run ends after its preflight; its recipients are those to be probed, and probes are its outcomes.';
COMMENT ON COLUMN sortie.run.translations IS 'Locales with texts of their own; recipient.translation counts in this list from 1.';
COMMENT ON COLUMN sortie.run.definition IS 'The campaign file as it was run.';
COMMENT ON COLUMN sortie.run.definition_hash IS 'Digest of the definition; an interrupted run only goes on with the same one.';

CREATE TABLE sortie.worker (
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id           bigint NOT NULL REFERENCES sortie.run (id),
    host             text NOT NULL,
    pid              integer NOT NULL,
    pid_started      bigint NOT NULL,
    version          text NOT NULL,
    lease_epoch      integer NOT NULL,
    started_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_expires_at timestamptz NOT NULL,
    last_batch       bigint NOT NULL DEFAULT 0,
    ended_at         timestamptz,
    end_reason       text,
    CONSTRAINT worker_end_check CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
    CONSTRAINT worker_lease_check CHECK (lease_expires_at >= started_at)
) WITH (fillfactor = 50);
CREATE INDEX worker_run_index ON sortie.worker (run_id);
ALTER TABLE sortie.run ADD CONSTRAINT run_worker_fkey
    FOREIGN KEY (worker_id) REFERENCES sortie.worker (id);
COMMENT ON TABLE sortie.worker IS 'One process working on one run. A row that has ended may not write any more.';
COMMENT ON COLUMN sortie.worker.id IS 'The worker''s number.';
COMMENT ON COLUMN sortie.worker.run_id IS 'The run it works on.';
COMMENT ON COLUMN sortie.worker.host IS 'The machine.';
COMMENT ON COLUMN sortie.worker.pid IS 'The process id.';
COMMENT ON COLUMN sortie.worker.pid_started IS 'When the process started, in clock ticks since the machine''s boot: process ids are used again.';
COMMENT ON COLUMN sortie.worker.version IS 'The program''s version.';
COMMENT ON COLUMN sortie.worker.lease_epoch IS 'The run''s lease epoch that it was given.';
COMMENT ON COLUMN sortie.worker.started_at IS 'When it took the run.';
COMMENT ON COLUMN sortie.worker.heartbeat_at IS 'When it was last heard of.';
COMMENT ON COLUMN sortie.worker.lease_expires_at IS 'When others may take the run over, if it is not heard of before.';
COMMENT ON COLUMN sortie.worker.last_batch IS 'The id of its last recorded batch, so that recording it again is harmless; 0 for none.';
COMMENT ON COLUMN sortie.worker.ended_at IS 'When it gave the run up or lost it.';
COMMENT ON COLUMN sortie.worker.end_reason IS 'Why: stopped, taken over …';

CREATE TABLE sortie.run_event (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id    bigint NOT NULL REFERENCES sortie.run (id),
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    worker_id integer,
    kind      text NOT NULL,
    text      text NOT NULL,
    detail    jsonb,
    CONSTRAINT run_event_detail_check CHECK (jsonb_typeof(detail) = 'object')
);
CREATE INDEX run_event_run_index ON sortie.run_event (run_id, id);
COMMENT ON TABLE sortie.run_event IS 'A run''s journal: what an operator would ask about afterwards.';
COMMENT ON COLUMN sortie.run_event.id IS 'The event''s number.';
COMMENT ON COLUMN sortie.run_event.run_id IS 'The run.';
COMMENT ON COLUMN sortie.run_event.at IS 'When it was written.';
COMMENT ON COLUMN sortie.run_event.worker_id IS 'The worker that wrote it; null for the database itself or another program.';
COMMENT ON COLUMN sortie.run_event.kind IS 'One word, such as state, brake, goaway.';
COMMENT ON COLUMN sortie.run_event.text IS 'A sentence for people.';
COMMENT ON COLUMN sortie.run_event.detail IS 'Figures, as a JSON object.';

CREATE TABLE sortie.device_event (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id              bigint NOT NULL,
    run_id                 bigint,
    at                     timestamptz NOT NULL DEFAULT now(),
    cause_at               timestamptz,
    status_at_before       timestamptz NOT NULL,
    status_cause_at_before timestamptz,
    status_before          text NOT NULL,
    status_after           text NOT NULL,
    reason                 text,
    reason_before          text
);
CREATE INDEX device_event_device_index ON sortie.device_event (device_id);
CREATE INDEX device_event_run_index ON sortie.device_event (run_id) WHERE run_id IS NOT NULL;
COMMENT ON TABLE sortie.device_event IS 'Every change of a device''s status with its cause; what undoing a run''s changes reads.';
COMMENT ON COLUMN sortie.device_event.id IS 'The event''s number.';
COMMENT ON COLUMN sortie.device_event.device_id IS 'The device.';
COMMENT ON COLUMN sortie.device_event.run_id IS 'The run whose answers caused it; null for a registration, an import or a change by hand.';
COMMENT ON COLUMN sortie.device_event.at IS 'When the status was changed; equals the device''s status_at right after it.';
COMMENT ON COLUMN sortie.device_event.cause_at IS 'The moment the cause speaks of, see device.status_cause_at.';
COMMENT ON COLUMN sortie.device_event.status_at_before IS 'The device''s status_at before.';
COMMENT ON COLUMN sortie.device_event.status_cause_at_before IS 'The device''s status_cause_at before.';
COMMENT ON COLUMN sortie.device_event.status_before IS 'The status before.';
COMMENT ON COLUMN sortie.device_event.status_after IS 'The status after.';
COMMENT ON COLUMN sortie.device_event.reason IS 'APNs'' reason, or registered, imported, replaced, undone.';
COMMENT ON COLUMN sortie.device_event.reason_before IS 'The device''s status_reason before.';

-- A run's recipients ----------------------------------------------------------------------------
-- Partitioned by run: a run's data is dropped with its partition, never deleted row by row.

CREATE TABLE sortie.recipient (
    run_id      bigint NOT NULL,
    device_id   bigint NOT NULL,
    ordinal     integer NOT NULL,
    translation smallint NOT NULL,
    probe       boolean NOT NULL
) PARTITION BY LIST (run_id);
COMMENT ON TABLE sortie.recipient IS 'The frozen audience of each run.';
COMMENT ON COLUMN sortie.recipient.run_id IS 'The run.';
COMMENT ON COLUMN sortie.recipient.device_id IS 'The device.';
COMMENT ON COLUMN sortie.recipient.ordinal IS 'The recipient''s number in the run, from 1, in the order of device ids.';
COMMENT ON COLUMN sortie.recipient.translation IS 'Which of the run''s translations it gets, from 1; 0 is the default text.';
COMMENT ON COLUMN sortie.recipient.probe IS 'Whether it is probed before the send.';

CREATE TABLE sortie.slice (
    run_id          bigint NOT NULL REFERENCES sortie.run (id),
    phase           smallint NOT NULL,
    number          integer NOT NULL,
    first_ordinal   integer NOT NULL,
    last_ordinal    integer NOT NULL,
    size            integer NOT NULL,
    sending_through integer NOT NULL,
    recorded        integer NOT NULL DEFAULT 0,
    state           text NOT NULL DEFAULT 'open',
    worker_id       integer,
    lease_epoch     integer,
    leased_at       timestamptz,
    CONSTRAINT slice_pkey PRIMARY KEY (run_id, phase, number),
    CONSTRAINT slice_phase_check CHECK (phase IN (1, 2)),
    CONSTRAINT slice_range_check CHECK (first_ordinal >= 1 AND last_ordinal >= first_ordinal),
    CONSTRAINT slice_size_check CHECK (size BETWEEN 1 AND last_ordinal - first_ordinal + 1),
    CONSTRAINT slice_mark_check
        CHECK (sending_through BETWEEN first_ordinal - 1 AND last_ordinal),
    CONSTRAINT slice_recorded_check CHECK (recorded BETWEEN 0 AND size),
    CONSTRAINT slice_state_check CHECK (state IN ('open', 'leased', 'done')),
    CONSTRAINT slice_done_check CHECK ((state = 'done') = (recorded = size)),
    CONSTRAINT slice_lease_check CHECK ((state = 'leased') <= (worker_id IS NOT NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE sortie.slice IS 'A fixed range of a run''s recipients: what a worker leases, and the unit of doubt after a crash.';
COMMENT ON COLUMN sortie.slice.run_id IS 'The run.';
COMMENT ON COLUMN sortie.slice.phase IS '1 probe, 2 send.';
COMMENT ON COLUMN sortie.slice.number IS 'Its number in the run, from 0; the same range has the same number in both phases.';
COMMENT ON COLUMN sortie.slice.first_ordinal IS 'First recipient.';
COMMENT ON COLUMN sortie.slice.last_ordinal IS 'Last recipient, inclusive.';
COMMENT ON COLUMN sortie.slice.size IS 'Recipients in the range that take part in the phase.';
COMMENT ON COLUMN sortie.slice.sending_through IS 'Recipients up to here may have been sent to; those beyond certainly were not.';
COMMENT ON COLUMN sortie.slice.recorded IS 'Recipients that have an outcome or were put into the retry list.';
COMMENT ON COLUMN sortie.slice.state IS 'open, leased, or done: everybody in it is recorded.';
COMMENT ON COLUMN sortie.slice.worker_id IS 'The worker that has or had it; its lease is the slice''s.';
COMMENT ON COLUMN sortie.slice.lease_epoch IS 'The run''s lease epoch when it was leased.';
COMMENT ON COLUMN sortie.slice.leased_at IS 'When it was leased last.';

CREATE TABLE sortie.outcome (
    run_id         bigint NOT NULL,
    sent_at        timestamptz,
    ordinal        integer NOT NULL,
    latency_us     integer NOT NULL,
    worker_id      integer NOT NULL,
    phase          smallint NOT NULL,
    outcome        smallint NOT NULL,
    status         smallint NOT NULL,
    attempts       smallint NOT NULL,
    connection     smallint NOT NULL,
    apns_id        uuid,
    reason         text,
    apns_timestamp timestamptz
) PARTITION BY LIST (run_id);
COMMENT ON TABLE sortie.outcome IS 'How each recipient ended, one row per recipient and phase. report.recipient_outcome is easier to read.';
COMMENT ON COLUMN sortie.outcome.run_id IS 'The run.';
COMMENT ON COLUMN sortie.outcome.sent_at IS 'When the last request was sent; null if none was.';
COMMENT ON COLUMN sortie.outcome.ordinal IS 'The recipient.';
COMMENT ON COLUMN sortie.outcome.latency_us IS 'Microseconds from the last request to its answer; 0 if there was none.';
COMMENT ON COLUMN sortie.outcome.worker_id IS 'The worker that recorded it.';
COMMENT ON COLUMN sortie.outcome.phase IS '1 probe, 2 send.';
COMMENT ON COLUMN sortie.outcome.outcome IS '1 accepted by APNs, 2 rejected, 3 unknown (sent, no answer), 4 skipped on purpose.';
COMMENT ON COLUMN sortie.outcome.status IS 'HTTP status; 0 if there was no answer.';
COMMENT ON COLUMN sortie.outcome.attempts IS 'Requests on the wire for this recipient.';
COMMENT ON COLUMN sortie.outcome.connection IS 'The worker''s connection, from 1; 0 if none was used.';
COMMENT ON COLUMN sortie.outcome.apns_id IS 'The id that APNs gave the push.';
COMMENT ON COLUMN sortie.outcome.reason IS 'APNs'' reason, or sortie''s cause of a skip or of not knowing; null if accepted.';
COMMENT ON COLUMN sortie.outcome.apns_timestamp IS 'The time in a 410: since when APNs knows that the token is gone.';

CREATE TABLE sortie.retry (
    run_id     bigint NOT NULL,
    not_before timestamptz NOT NULL,
    parked_at  timestamptz NOT NULL DEFAULT now(),
    ordinal    integer NOT NULL,
    phase      smallint NOT NULL,
    attempts   smallint NOT NULL,
    cause      smallint NOT NULL,
    announced  boolean NOT NULL DEFAULT false,
    reason     text,
    CONSTRAINT retry_pkey PRIMARY KEY (run_id, phase, ordinal),
    CONSTRAINT retry_phase_check CHECK (phase IN (1, 2)),
    CONSTRAINT retry_cause_check CHECK (cause BETWEEN 1 AND 5)
);
CREATE INDEX retry_due_index ON sortie.retry (run_id, phase, not_before) WHERE NOT announced;
COMMENT ON TABLE sortie.retry IS 'Recipients that wait to be sent later. They count as unsent.';
COMMENT ON COLUMN sortie.retry.run_id IS 'The run.';
COMMENT ON COLUMN sortie.retry.not_before IS 'Not to be sent before.';
COMMENT ON COLUMN sortie.retry.parked_at IS 'When it was put here first.';
COMMENT ON COLUMN sortie.retry.ordinal IS 'The recipient.';
COMMENT ON COLUMN sortie.retry.phase IS '1 probe, 2 send.';
COMMENT ON COLUMN sortie.retry.attempts IS 'Requests on the wire so far.';
COMMENT ON COLUMN sortie.retry.cause IS '1 a 5xx answer; 2 too many requests; 3 released: announced, never sent; 4 unconfirmed: in doubt, to be resent by the campaign''s choice; 5 refused before processing.';
COMMENT ON COLUMN sortie.retry.announced IS 'May be on the wire now; in doubt if its worker ends.';
COMMENT ON COLUMN sortie.retry.reason IS 'APNs'' reason, if it gave one.';

-- Roll-ups ------------------------------------------------------------------------------------

CREATE TABLE sortie.tally (
    run_id    bigint NOT NULL REFERENCES sortie.run (id),
    count     bigint NOT NULL,
    worker_id integer NOT NULL,
    phase     smallint NOT NULL,
    outcome   smallint NOT NULL,
    reason    text NOT NULL,
    CONSTRAINT tally_pkey PRIMARY KEY (run_id, phase, worker_id, outcome, reason),
    CONSTRAINT tally_outcome_check CHECK (outcome BETWEEN 1 AND 4),
    CONSTRAINT tally_count_check CHECK (count >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE sortie.tally IS 'Outcomes counted as they are recorded, in the same transaction: every total comes from here.';
COMMENT ON COLUMN sortie.tally.run_id IS 'The run.';
COMMENT ON COLUMN sortie.tally.count IS 'Recipients.';
COMMENT ON COLUMN sortie.tally.worker_id IS 'The worker that recorded them.';
COMMENT ON COLUMN sortie.tally.phase IS '1 probe, 2 send.';
COMMENT ON COLUMN sortie.tally.outcome IS 'As in outcome.outcome.';
COMMENT ON COLUMN sortie.tally.reason IS 'As in outcome.reason; empty for none.';

CREATE TABLE sortie.tally_minute (
    run_id    bigint NOT NULL REFERENCES sortie.run (id),
    minute    timestamptz NOT NULL,
    count     bigint NOT NULL,
    worker_id integer NOT NULL,
    phase     smallint NOT NULL,
    outcome   smallint NOT NULL,
    CONSTRAINT tally_minute_pkey PRIMARY KEY (run_id, phase, minute, worker_id, outcome),
    CONSTRAINT tally_minute_outcome_check CHECK (outcome BETWEEN 1 AND 4),
    CONSTRAINT tally_minute_count_check CHECK (count >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE sortie.tally_minute IS 'Outcomes counted by the minute in which they were recorded.';
COMMENT ON COLUMN sortie.tally_minute.run_id IS 'The run.';
COMMENT ON COLUMN sortie.tally_minute.minute IS 'Start of the minute.';
COMMENT ON COLUMN sortie.tally_minute.count IS 'Recipients.';
COMMENT ON COLUMN sortie.tally_minute.worker_id IS 'The worker that recorded them.';
COMMENT ON COLUMN sortie.tally_minute.phase IS '1 probe, 2 send.';
COMMENT ON COLUMN sortie.tally_minute.outcome IS 'As in outcome.outcome.';
