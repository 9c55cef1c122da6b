-- Checkpoints: signed notes over the first `size` positions of the log.
CREATE TABLE checkpoints_checkpoint (
    size    bigint      NOT NULL PRIMARY KEY CHECK (size >= 1),
    root    bytea       NOT NULL CHECK (length(root) = 32),
    note    text        NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX checkpoints_checkpoint_made_at ON checkpoints_checkpoint (made_at);

-- What witnesses answered.
CREATE TABLE checkpoints_cosignature (
    size        bigint      NOT NULL REFERENCES checkpoints_checkpoint,
    witness     text        NOT NULL,
    line        text        NOT NULL,
    cosigned_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (size, witness)
);

-- Checkpoints that the storage has, by their numbers there.
CREATE TABLE checkpoints_copy (
    number    bigint      NOT NULL PRIMARY KEY CHECK (number >= 1),
    size      bigint      NOT NULL UNIQUE REFERENCES checkpoints_checkpoint,
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
