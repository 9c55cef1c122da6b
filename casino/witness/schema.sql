-- Everything that a witness has said and refused. Rows of statements, refusals and notes are never changed.
CREATE TABLE meta (
    single     INTEGER NOT NULL PRIMARY KEY CHECK (single = 1),
    name       TEXT    NOT NULL,
    release    BLOB    NOT NULL,
    cosign     BLOB    NOT NULL,
    generation INTEGER NOT NULL CHECK (generation >= 1),
    commits    INTEGER NOT NULL CHECK (commits >= 0),
    time_ms    INTEGER NOT NULL
) STRICT;

CREATE TABLE chain (
    id              BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    origin          TEXT    NOT NULL,
    game_table      BLOB    NOT NULL CHECK (length(game_table) = 16),
    number          INTEGER NOT NULL,
    generation      INTEGER NOT NULL,
    size            INTEGER NOT NULL,
    closing_key     BLOB    NOT NULL,
    max_unpinned_s  INTEGER NOT NULL,
    header          BLOB    NOT NULL,
    signature       BLOB    NOT NULL,
    secret          BLOB    NOT NULL CHECK (length(secret) = 32),
    block_roots     BLOB    NOT NULL,
    house_signature BLOB,
    next_index      INTEGER NOT NULL DEFAULT 0 CHECK (next_index BETWEEN 0 AND size),
    retired         INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX chain_of_table ON chain (origin, game_table, number);
CREATE INDEX chain_open ON chain (origin, game_table) WHERE NOT retired;

CREATE TABLE statement (
    origin            TEXT    NOT NULL,
    generation        INTEGER NOT NULL,
    number            INTEGER NOT NULL CHECK (number >= 1),
    chain             BLOB    NOT NULL REFERENCES chain,
    link_index        INTEGER,
    body              BLOB    NOT NULL,
    signature         BLOB    NOT NULL,
    request_signature BLOB    NOT NULL,
    PRIMARY KEY (origin, generation, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX statement_index ON statement (chain, link_index);

CREATE TABLE refusal (
    number      INTEGER NOT NULL PRIMARY KEY,
    origin      TEXT    NOT NULL,
    code        TEXT    NOT NULL,
    request     BLOB    NOT NULL,
    signature   BLOB    NOT NULL,
    received_ms INTEGER NOT NULL,
    UNIQUE (request, code)
) STRICT;

CREATE TABLE checkpoint (
    number      INTEGER NOT NULL PRIMARY KEY,
    origin      TEXT    NOT NULL,
    size        INTEGER NOT NULL,
    root        BLOB    NOT NULL CHECK (length(root) = 32),
    note        TEXT    NOT NULL,
    cosigned_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoint_of_origin ON checkpoint (origin, number);
CREATE INDEX checkpoint_size ON checkpoint (origin, size);

CREATE TABLE refused_checkpoint (
    number      INTEGER NOT NULL PRIMARY KEY,
    origin      TEXT    NOT NULL,
    request     TEXT    NOT NULL UNIQUE,
    received_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER statement_update BEFORE UPDATE ON statement BEGIN SELECT raise(ABORT, 'statements stay'); END;
CREATE TRIGGER statement_delete BEFORE DELETE ON statement BEGIN SELECT raise(ABORT, 'statements stay'); END;
CREATE TRIGGER refusal_update BEFORE UPDATE ON refusal BEGIN SELECT raise(ABORT, 'refusals stay'); END;
CREATE TRIGGER refusal_delete BEFORE DELETE ON refusal BEGIN SELECT raise(ABORT, 'refusals stay'); END;
CREATE TRIGGER checkpoint_update BEFORE UPDATE ON checkpoint BEGIN SELECT raise(ABORT, 'notes stay'); END;
CREATE TRIGGER checkpoint_delete BEFORE DELETE ON checkpoint BEGIN SELECT raise(ABORT, 'notes stay'); END;
