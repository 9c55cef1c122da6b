-- {role} is the role that every process but `migrate` acts as. Roles belong to the whole cluster, so another database's
-- migration may be making it at this very moment.
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
                NULL;  -- made meanwhile
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'The role {role} does not exist and % may not create it.', current_user
                    USING HINT = format('As an administrator: CREATE ROLE {role}; GRANT {role} TO %I;', current_user);
        END;
    END IF;
END
$$;

-- Tables made later by this owner: ordinary ones are the application's to write; append-only ones take it back.
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

CREATE TABLE events_event (
    id          bigint      GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    stream      text        NOT NULL,
    version     integer     NOT NULL CHECK (version >= 1),
    type        text        NOT NULL,
    schema      smallint    NOT NULL CHECK (schema >= 1),
    data        jsonb       NOT NULL,
    metadata    jsonb       NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT events_event_stream_version UNIQUE (stream, version)
);
-- Rows lie in the order of their times, so the lowest and highest time of each few pages is index enough; it costs what
-- is written next to nothing.
CREATE INDEX events_event_time ON events_event USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE events_unsealed (
    event_id bigint PRIMARY KEY
);
-- A queue: nearly every row dies young, so clean by count, not by share of the table.
ALTER TABLE events_unsealed SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                                 autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000);

CREATE TABLE events_seal (
    position bigint NOT NULL PRIMARY KEY CHECK (position >= 1),
    event_id bigint NOT NULL UNIQUE,
    digest   bytea  NOT NULL CHECK (length(digest) = 32)
);

CREATE TABLE events_chainhead (
    position bigint      NOT NULL PRIMARY KEY CHECK (position >= 1),
    digest   bytea       NOT NULL CHECK (length(digest) = 32),
    sealed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE events_subscription (
    name     text   NOT NULL PRIMARY KEY,
    position bigint NOT NULL CHECK (position >= 0)
);
