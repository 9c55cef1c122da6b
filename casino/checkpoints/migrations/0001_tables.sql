-- The id of this log. Every checkpoint names it, so a checkpoint of another log is not accepted here.
CREATE TABLE checkpoints_log (
    id      uuid        NOT NULL PRIMARY KEY DEFAULT gen_random_uuid(),
    single  boolean     NOT NULL DEFAULT true UNIQUE CHECK (single),
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO checkpoints_log DEFAULT VALUES;

CREATE TABLE checkpoints_checkpoint (
    number    bigint      NOT NULL PRIMARY KEY CHECK (number >= 1),
    position  bigint      NOT NULL CHECK (position >= 1),
    head      bytea       NOT NULL CHECK (length(head) = 32),
    root      bytea       NOT NULL CHECK (length(root) = 32),
    previous  bytea       NOT NULL CHECK (length(previous) IN (0, 32)),
    made_at   timestamptz NOT NULL,
    key       text        NOT NULL CHECK (key <> ''),
    signature bytea       NOT NULL CHECK (length(signature) = 64)
);
CREATE INDEX checkpoints_checkpoint_position ON checkpoints_checkpoint (position, number);

-- Checkpoints that were copied to the storage.
CREATE TABLE checkpoints_copy (
    number    bigint      NOT NULL PRIMARY KEY,
    storage   text        NOT NULL,
    copied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The Merkle tree over the digests: complete subtrees of at least 256 leaves; smaller ones are computed.
CREATE TABLE checkpoints_node (
    level smallint NOT NULL CHECK (level >= 8),
    place bigint   NOT NULL CHECK (place >= 0),
    hash  bytea    NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, place)
);

CREATE TABLE checkpoints_key (
    id     text        NOT NULL PRIMARY KEY CHECK (id <> ''),
    public bytea       NOT NULL CHECK (length(public) = 32),
    since  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE checkpoints_retirement (
    key_id text        NOT NULL PRIMARY KEY REFERENCES checkpoints_key,
    until  timestamptz NOT NULL
);

-- Checkpoints as signed notes, for witnesses, which cosign them; the tree is stored up to the newest of both kinds.
CREATE TABLE checkpoints_note (
    size    bigint      NOT NULL PRIMARY KEY CHECK (size >= 1),
    root    bytea       NOT NULL CHECK (length(root) = 32),
    note    text        NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE checkpoints_cosignature (
    size        bigint      NOT NULL REFERENCES checkpoints_note,
    witness     text        NOT NULL,
    line        text        NOT NULL,
    cosigned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (size, witness)
);

-- Signed digests of append-only tables other than the log.
CREATE TABLE checkpoints_manifest (
    number bigint NOT NULL PRIMARY KEY CHECK (number >= 1),
    text   text   NOT NULL
);

-- When somebody last asked for a checkpoint that covers what had happened by then.
CREATE TABLE checkpoints_wanted (
    single   boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    asked_at timestamptz NOT NULL
);
