ALTER TABLE wallet_funding ADD COLUMN wallet_url text NOT NULL DEFAULT '';

ALTER TABLE wallet_account DROP CONSTRAINT wallet_account_kind_check;
ALTER TABLE wallet_account ADD CONSTRAINT wallet_account_kind_check CHECK (kind IN (
    'account', 'game', 'rack', 'hold', 'debt', 'returning', 'stakes', 'bank', 'commission', 'deposits', 'withdrawals',
    'fees', 'adjustments', 'sandbox', 'wallet')) NOT VALID;

-- As before, and what is returning to an operator's own wallet is never negative.
CREATE OR REPLACE FUNCTION wallet_open(ids uuid[], names text[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO wallet_account (id, kind, operator_id, money_type, currency, player_id, table_id)
    SELECT id, split_part(name, '/', 1), split_part(name, '/', 2)::uuid, split_part(name, '/', 3),
           split_part(name, '/', 4), nullif(split_part(name, '/', 5), '')::uuid, nullif(split_part(name, '/', 6), '')::uuid
      FROM unnest(ids, names) AS named (id, name)
     ORDER BY id
        ON CONFLICT (id) DO NOTHING;
    INSERT INTO wallet_balance (account_id, floor)
    SELECT id, split_part(name, '/', 1) IN ('account', 'game', 'rack', 'stakes', 'hold', 'returning')
      FROM unnest(ids, names) AS named (id, name)
     ORDER BY id
        ON CONFLICT (account_id) DO NOTHING;
$$;

-- Transactions with operators' own wallets: a projection of the streams remote-{transaction}.
CREATE TABLE wallet_remote (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    table_id uuid NOT NULL,
    round_id uuid NOT NULL,
    wager_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('debit', 'credit', 'correction')),
    concerns_id uuid,
    request_id uuid,
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    amount bigint NOT NULL CHECK (amount >= 0 OR kind = 'correction'),
    status text NOT NULL CHECK (status IN ('requested', 'accepted', 'refused', 'rolling_back', 'rolled_back')),
    reference text NOT NULL,
    code text NOT NULL,
    rollback_id uuid,
    reason text NOT NULL,
    found boolean,
    answer_by timestamptz,
    requested_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL CHECK (version > 0),
    CONSTRAINT wallet_remote_concerns CHECK ((kind = 'debit') = (concerns_id IS NULL))
);
CREATE UNIQUE INDEX wallet_remote_once ON wallet_remote (wager_id, kind)
    WHERE kind <> 'debit' OR status IN ('requested', 'accepted');
CREATE UNIQUE INDEX wallet_remote_request ON wallet_remote (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX wallet_remote_asked ON wallet_remote (round_id) WHERE kind = 'debit' AND status = 'requested';
CREATE INDEX wallet_remote_open ON wallet_remote (operator_id) WHERE status IN ('requested', 'rolling_back');
CREATE INDEX wallet_remote_player ON wallet_remote (player_id, requested_at DESC);
CREATE INDEX wallet_remote_operator ON wallet_remote (operator_id, requested_at DESC);

-- What is to be sent to operators' own wallets, and when: open credits, corrections and rollbacks, and debits whose
-- process may have died.
CREATE TABLE wallet_remote_due (
    transaction_id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    next_try_at timestamptz NOT NULL,
    since timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    reported boolean NOT NULL DEFAULT false,
    last_error text NOT NULL DEFAULT ''
);
CREATE INDEX wallet_remote_due_next ON wallet_remote_due (operator_id, next_try_at);

-- The balances that operators' own wallets told last; asked again when they are lost. The key is the real account's.
CREATE TABLE wallet_told_balance (
    account_id uuid PRIMARY KEY,
    player_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    currency text NOT NULL,
    balance bigint NOT NULL,
    told_at timestamptz NOT NULL
);
CREATE INDEX wallet_told_balance_player ON wallet_told_balance (player_id);
CREATE INDEX wallet_told_balance_operator ON wallet_told_balance (operator_id);
