-- {role} is the role of every process but `migrate`. Roles belong to the whole cluster, so the migration of another
-- database may create it at the same time.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
        BEGIN
            CREATE ROLE {role} NOLOGIN;
            IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
                EXECUTE format('GRANT {role} TO %I', current_user);
            END IF;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL;  -- created meanwhile
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'The role {role} does not exist and % may not create it.', current_user
                    USING HINT = format('As an administrator: CREATE ROLE {role}; GRANT {role} TO %I;', current_user);
        END;
    END IF;
END
$$;

-- For the role's own logins, such as those of a pooler, which passes no timeouts on.
DO $$
BEGIN
    SET LOCAL ROLE {role};
    {timeouts}
    RESET ROLE;
EXCEPTION
    WHEN OTHERS THEN
        RAISE NOTICE 'The timeouts of {role} were not set: %', SQLERRM;  -- another migration set them at this moment
END
$$;

-- The application may write to tables that this owner creates later; append-only tables revoke that.
GRANT USAGE ON SCHEMA public TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role};
DO $$
BEGIN
    IF to_regclass('public.django_migrations') IS NOT NULL THEN
        REVOKE INSERT, UPDATE, DELETE ON TABLE public.django_migrations FROM {role};
    END IF;
END
$$;

CREATE FUNCTION events_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed or removed (% refused)', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'restrict_violation', HINT = 'A correction is a new event.';
END
$$;

-- Columns of fixed width come first, so that none is padded. Canonical JSON is kept as it was written: as jsonb it would
-- take a fifth more. The casts refuse what jsonb refuses and `->>` could not read later, such as NUL. Indexes that only
-- grow at their end have full pages.
CREATE SEQUENCE events_transaction CACHE 1;
CREATE TABLE events_event (
    id          bigint      GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY WITH (fillfactor = 100),
    transaction bigint      NOT NULL DEFAULT nextval('events_transaction'),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    version     integer     NOT NULL CHECK (version >= 1),
    schema      smallint    NOT NULL CHECK (schema >= 1),
    stream      text        NOT NULL,
    type        text        NOT NULL,
    data        json        NOT NULL CHECK (data::jsonb IS NOT NULL),
    -- Of an append to a stream the first event has it; NULL means that of the event before it.
    metadata    json        CHECK (CASE WHEN metadata IS NULL THEN version > 1 ELSE metadata::jsonb IS NOT NULL END),
    CONSTRAINT events_event_stream_version UNIQUE (stream, version)
);
-- Rows are stored in the order of their times, so a BRIN index is enough, and it costs writers next to nothing.
CREATE INDEX events_event_time ON events_event USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);
-- Of events that no table or round has, which audits that continue from a checkpoint read of all times.
CREATE INDEX events_event_context ON events_event (type) WHERE "left"(stream, 6) <> ALL ('{round-,table-}'::text[]);
-- The appends of an operator in a day, for exports; equal keys are kept once, so it stays small.
CREATE INDEX events_event_operator ON events_event
    (hashtext(metadata->>'operator'), ((recorded_at AT TIME ZONE 'UTC')::date)) WHERE metadata->>'operator' IS NOT NULL;

-- The key is the order in which the sealer takes them: of two appends to one stream, the later has the higher number.
CREATE TABLE events_unsealed (
    event_id    bigint NOT NULL,
    transaction bigint NOT NULL,
    PRIMARY KEY (transaction, event_id)
);
-- A queue: rows are deleted soon, so vacuum by number of dead rows instead of by share of the table.
ALTER TABLE events_unsealed SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                                 autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);

CREATE TABLE events_seal (
    position bigint NOT NULL PRIMARY KEY WITH (fillfactor = 100) CHECK (position >= 1),
    event_id bigint NOT NULL UNIQUE WITH (fillfactor = 100),
    digest   bytea  NOT NULL CHECK (length(digest) = 32)
);

CREATE TABLE events_chainhead (
    position bigint      NOT NULL PRIMARY KEY CHECK (position >= 1),
    digest   bytea       NOT NULL CHECK (length(digest) = 32),
    sealed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A queue, as events_unsealed.
CREATE TABLE events_announcement (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operator_id  uuid,
    type         text        NOT NULL,
    data         jsonb       NOT NULL,
    announced_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE events_announcement SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

CREATE TABLE events_subscription (
    name     text   NOT NULL PRIMARY KEY,
    position bigint NOT NULL CHECK (position >= 0)
);

-- Digests of rows of working tables (see row_digests.py): null for a removed row.
CREATE TABLE events_rowdigest (
    number      bigint      GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    table_name  text        NOT NULL,
    row_key     text        NOT NULL,
    digest      bytea       CHECK (length(digest) = 32),
    needs_act   boolean     NOT NULL DEFAULT false,
    written_by  text        NOT NULL DEFAULT current_user
);

-- Arguments: the columns that name a row, those that are not counted, and, if only acts change the others, `act` and the
-- columns that need none. The numbers of digests that need an act wait in a setting of the transaction for the act that
-- names them (significant/act_log.py). The settings of the function decide how jsonb is written.
CREATE FUNCTION events_record_digest() RETURNS trigger LANGUAGE plpgsql
SET timezone = 'UTC' SET bytea_output = 'hex' SET extra_float_digits = 1 AS $$
DECLARE
    ignored   text[] := string_to_array(TG_ARGV[1], ',');
    old_row   jsonb := to_jsonb(OLD) - ignored;
    new_row   jsonb := to_jsonb(NEW) - ignored;
    own       text[] := string_to_array(TG_ARGV[3], ',');
    needs_act boolean := (TG_ARGV[2] = 'act' OR TG_ARGV[2] = TG_OP) AND old_row - own IS DISTINCT FROM new_row - own;
    old_key   text;
    new_key   text;
    numbers   text;
BEGIN
    IF old_row::text = new_row::text THEN
        RETURN NULL;
    END IF;
    SELECT string_agg(to_jsonb(OLD) ->> name, ','), string_agg(to_jsonb(NEW) ->> name, ',') INTO old_key, new_key
      FROM unnest(string_to_array(TG_ARGV[0], ',')) AS name;
    WITH added AS (
        INSERT INTO events_rowdigest (table_name, row_key, digest, needs_act)
        SELECT TG_TABLE_NAME, old_key, NULL, needs_act WHERE old_key IS DISTINCT FROM new_key AND old_key IS NOT NULL
        UNION ALL
        SELECT TG_TABLE_NAME, new_key, sha256(convert_to(new_row::text, 'UTF8')), needs_act WHERE new_key IS NOT NULL
        RETURNING number
    ) SELECT string_agg(number::text, ',') INTO numbers FROM added;
    IF needs_act THEN
        PERFORM set_config(
            'casino.changed', concat_ws(',', nullif(current_setting('casino.changed', true), ''), numbers), true
        );
    END IF;
    RETURN NULL;
END
$$;
