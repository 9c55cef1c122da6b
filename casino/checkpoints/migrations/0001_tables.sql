-- Whose log this is: its id stands in every checkpoint, so that one of another log can't take a place in this one.
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

-- A checkpoint that stands outside of the database as well.
CREATE TABLE checkpoints_copy (
    number    bigint      NOT NULL PRIMARY KEY,
    storage   text        NOT NULL,
    copied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The tree over the digests: hashes of complete subtrees of 256 leaves and more; smaller ones are worked out.
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

-- Signed inventories of what is kept beside the log.
CREATE TABLE checkpoints_inventory (
    number bigint NOT NULL PRIMARY KEY CHECK (number >= 1),
    text   text   NOT NULL
);
