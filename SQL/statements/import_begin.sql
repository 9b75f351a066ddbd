-- Makes the table that takes an import's rows; it goes with the transaction.
-- No parameters, no rows.
CREATE TEMPORARY TABLE import_row (
    line          integer NOT NULL,
    registered_at timestamptz,
    app           text COLLATE "C" NOT NULL,
    environment   text COLLATE "C" NOT NULL,
    token         text COLLATE "C" NOT NULL,
    user_id       text COLLATE "C",
    device_key    text COLLATE "C",
    locale        text,
    time_zone     text,
    os_version    text,
    model         text,
    app_version   text,
    attributes    jsonb
) ON COMMIT DROP
