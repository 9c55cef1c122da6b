-- Who can hold money. The id is a version-5 UUID of the name written as text, so nobody has to look it up.
CREATE TABLE wallet_account (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('account', 'game', 'rack', 'stakes', 'bank', 'commission',
                                       'deposits', 'withdrawals', 'fees', 'adjustments', 'sandbox')),
    operator_id uuid NOT NULL,
    book text NOT NULL CHECK (book IN ('real', 'play')),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    player_id uuid,
    table_id uuid
);
CREATE INDEX wallet_account_player ON wallet_account (player_id) WHERE player_id IS NOT NULL;
CREATE INDEX wallet_account_table ON wallet_account (table_id) WHERE table_id IS NOT NULL;

-- A projection of the postings and the only table here that is ever updated: room on each page keeps updates in place.
CREATE TABLE wallet_balance (
    account_id uuid PRIMARY KEY REFERENCES wallet_account (id),
    balance bigint NOT NULL DEFAULT 0,
    sequence bigint NOT NULL DEFAULT 0 CHECK (sequence >= 0),
    floor boolean NOT NULL,
    CONSTRAINT wallet_balance_never_negative CHECK (NOT floor OR balance >= 0)
) WITH (fillfactor = 70);

CREATE TABLE wallet_entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind <> ''),
    cause bigint NOT NULL UNIQUE REFERENCES events_event (id),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- No foreign key to the account: it would lock the account's row on every posting. The rule on inserted postings
-- (0002_rules.sql) looks every account up anyway and refuses unknown ones.
CREATE TABLE wallet_posting (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry_id bigint NOT NULL REFERENCES wallet_entry (id),
    account_id uuid NOT NULL,
    amount bigint NOT NULL CHECK (amount <> 0),
    balance bigint NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    CONSTRAINT wallet_posting_gapless UNIQUE (account_id, sequence),
    CONSTRAINT wallet_posting_once UNIQUE (entry_id, account_id)
);
