-- Projection of the streams adjustment-{id}. Nobody decides what they asked for themselves.
CREATE TABLE wallet_adjustment (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    book text NOT NULL CHECK (book IN ('real', 'play')),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    direction text NOT NULL CHECK (direction IN ('credit', 'debit')),
    amount bigint NOT NULL CHECK (amount > 0),
    reason text NOT NULL CHECK (reason <> ''),
    status text NOT NULL CHECK (status IN ('requested', 'approved', 'rejected')),
    requested_by text NOT NULL CHECK (requested_by <> ''),
    requested_at timestamptz NOT NULL,
    decided_by text,
    decided_at timestamptz,
    taken bigint NOT NULL CHECK (taken >= 0),
    owed bigint NOT NULL CHECK (owed >= 0),
    version integer NOT NULL,
    CONSTRAINT wallet_adjustment_another CHECK (decided_by IS NULL OR decided_by <> requested_by),
    CONSTRAINT wallet_adjustment_decided CHECK ((status = 'requested') = (decided_by IS NULL))
);
CREATE INDEX wallet_adjustment_operator ON wallet_adjustment (operator_id, id DESC);
CREATE INDEX wallet_adjustment_player ON wallet_adjustment (player_id, id DESC);
CREATE INDEX wallet_adjustment_status ON wallet_adjustment (status, operator_id, id DESC);

-- What was said in words, which may be personal: no event holds it, so that it can be erased.
CREATE TABLE wallet_adjustment_words (
    adjustment_id uuid PRIMARY KEY,
    note text NOT NULL,
    message text NOT NULL,
    answer text NOT NULL DEFAULT ''
);

-- What players are told; each thing once.
CREATE TABLE wallet_notice (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind <> ''),
    subject_id uuid NOT NULL,
    facts jsonb NOT NULL,
    message text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    read_at timestamptz,
    CONSTRAINT wallet_notice_once UNIQUE (player_id, kind, subject_id)
);
CREATE INDEX wallet_notice_player ON wallet_notice (player_id, id DESC);
CREATE INDEX wallet_notice_unread ON wallet_notice (player_id, id DESC) WHERE read_at IS NULL;
