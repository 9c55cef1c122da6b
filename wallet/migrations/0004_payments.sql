-- Two more kinds of account: money on its way out, which is never below zero, and what a player owes, which is.
ALTER TABLE wallet_account DROP CONSTRAINT wallet_account_kind_check;
ALTER TABLE wallet_account ADD CONSTRAINT wallet_account_kind_check
    CHECK (kind IN ('account', 'game', 'rack', 'hold', 'debt', 'stakes', 'bank', 'commission',
                    'deposits', 'withdrawals', 'fees', 'adjustments', 'sandbox'));
CREATE INDEX wallet_account_debt ON wallet_account (id) WHERE kind = 'debt';

CREATE OR REPLACE FUNCTION wallet_open(ids uuid[], names text[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO wallet_account (id, kind, operator_id, book, currency, player_id, table_id)
    SELECT id, split_part(name, '/', 1), split_part(name, '/', 2)::uuid, split_part(name, '/', 3),
           split_part(name, '/', 4), nullif(split_part(name, '/', 5), '')::uuid, nullif(split_part(name, '/', 6), '')::uuid
      FROM unnest(ids, names) AS named (id, name)
     ORDER BY id
        ON CONFLICT (id) DO NOTHING;
    INSERT INTO wallet_balance (account_id, floor)
    SELECT id, split_part(name, '/', 1) IN ('account', 'game', 'rack', 'stakes', 'hold')
      FROM unnest(ids, names) AS named (id, name)
     ORDER BY id
        ON CONFLICT (account_id) DO NOTHING;
$$;

-- What an operator offers. A change is a row with the next version: what a player was shown stays on record.
CREATE TABLE wallet_deposit_method (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    method_id uuid NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    operator_id uuid NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    provider text NOT NULL CHECK (provider <> ''),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    minimum bigint NOT NULL CHECK (minimum > 0),
    maximum bigint NOT NULL CHECK (maximum >= minimum),
    fee_fixed bigint NOT NULL CHECK (fee_fixed >= 0),
    fee_ppm integer NOT NULL CHECK (fee_ppm >= 0 AND fee_ppm < 1000000),
    seconds integer NOT NULL CHECK (seconds >= 0),
    payouts boolean NOT NULL,
    enabled boolean NOT NULL,
    actor text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT wallet_deposit_method_version UNIQUE (method_id, version)
);
CREATE INDEX wallet_deposit_method_page ON wallet_deposit_method (operator_id, method_id, version DESC);

-- Up to which amount a withdrawal needs nobody, and above which it needs two. Changed like methods.
CREATE TABLE wallet_withdrawal_policy (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operator_id uuid NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    automatic_up_to bigint NOT NULL CHECK (automatic_up_to >= 0),
    second_above bigint NOT NULL CHECK (second_above >= automatic_up_to),
    actor text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT wallet_withdrawal_policy_version UNIQUE (operator_id, version)
);

-- Projections of the streams deposit-{id} and withdrawal-{id}. A provider's transaction stands behind one of each only.
CREATE TABLE wallet_deposit (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    method_id uuid NOT NULL,
    method_version integer NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    fee bigint NOT NULL CHECK (fee >= 0 AND fee < amount),
    status text NOT NULL CHECK (status IN ('pending', 'failed', 'completed', 'reversed')),
    reference text,
    reason text NOT NULL,
    owed bigint NOT NULL CHECK (owed >= 0),
    requested_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL,
    CONSTRAINT wallet_deposit_reference UNIQUE (provider, reference)
);
CREATE INDEX wallet_deposit_player ON wallet_deposit (player_id, id DESC);
CREATE INDEX wallet_deposit_operator ON wallet_deposit (operator_id, id DESC);
CREATE INDEX wallet_deposit_status ON wallet_deposit (status, operator_id, id DESC);

CREATE TABLE wallet_withdrawal (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    method_id uuid NOT NULL,
    method_version integer NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    approvals integer NOT NULL CHECK (approvals BETWEEN 0 AND 2),
    approved_by text NOT NULL,
    rejected_by text,
    status text NOT NULL
        CHECK (status IN ('requested', 'approved', 'sent', 'paid', 'returned', 'rejected', 'cancelled')),
    reference text,
    reason text NOT NULL,
    requested_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL,
    CONSTRAINT wallet_withdrawal_reference UNIQUE (provider, reference)
);
CREATE INDEX wallet_withdrawal_player ON wallet_withdrawal (player_id, id DESC);
CREATE INDEX wallet_withdrawal_operator ON wallet_withdrawal (operator_id, id DESC);
CREATE INDEX wallet_withdrawal_status ON wallet_withdrawal (status, operator_id, id DESC);

-- Callbacks as they came, verified. A nonce is taken once and for ever, whatever becomes of Redis.
CREATE TABLE wallet_callback (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider text NOT NULL,
    nonce text NOT NULL,
    body text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    next_try_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    outcome text,
    trouble text NOT NULL DEFAULT '',
    CONSTRAINT wallet_callback_nonce UNIQUE (provider, nonce)
);
CREATE INDEX wallet_callback_waiting ON wallet_callback (next_try_at) WHERE outcome IS NULL;

-- Payments of which the provider has yet to tell the end: whom to ask next, and when.
CREATE TABLE wallet_payment_due (
    payment_id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('deposit', 'payout')),
    next_try_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    trouble text NOT NULL DEFAULT ''
);
CREATE INDEX wallet_payment_due_next ON wallet_payment_due (next_try_at);
