-- Accounts. The id is a version-5 UUID of the name written as text, so it is never looked up.
CREATE TABLE wallet_account (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('account', 'game', 'rack', 'hold', 'debt', 'returning', 'stakes', 'bank',
                                       'commission', 'deposits', 'withdrawals', 'fees', 'adjustments', 'sandbox',
                                       'wallet')),
    operator_id uuid NOT NULL,
    money_type text NOT NULL CHECK (money_type IN ('real', 'play')),
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    player_id uuid,
    table_id uuid
);
CREATE INDEX wallet_account_player ON wallet_account (player_id) WHERE player_id IS NOT NULL;
CREATE INDEX wallet_account_table ON wallet_account (table_id) WHERE table_id IS NOT NULL;
CREATE INDEX wallet_account_operator ON wallet_account (operator_id, kind);
CREATE INDEX wallet_account_debt ON wallet_account (id) WHERE kind = 'debt';

-- A projection of the postings, updated with each; free room on each page keeps updates in place.
CREATE TABLE wallet_balance (
    account_id uuid PRIMARY KEY REFERENCES wallet_account (id),
    balance bigint NOT NULL DEFAULT 0,
    sequence bigint NOT NULL DEFAULT 0 CHECK (sequence >= 0),
    floor boolean NOT NULL,
    CONSTRAINT wallet_balance_never_negative CHECK (NOT floor OR balance >= 0)
) WITH (fillfactor = 70);

-- An event has at most one entry, so an entry's key is its event's. The operator is that of all its accounts.
CREATE TABLE wallet_entry (
    cause bigint PRIMARY KEY REFERENCES events_event (id),
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL CHECK (kind <> ''),
    operator_id uuid
);
CREATE INDEX wallet_entry_operator ON wallet_entry (operator_id, recorded_at);
-- Rows lie in the order of their times, so the lowest and highest time of each few pages is index enough.
CREATE INDEX wallet_entry_time ON wallet_entry USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);

-- No foreign key to the account: it would lock the account's row on every posting. The rule on inserted postings
-- (0001_functions.sql) looks every account up anyway and refuses unknown ones.
CREATE TABLE wallet_posting (
    entry_id bigint NOT NULL REFERENCES wallet_entry (cause),
    account_id uuid NOT NULL,
    amount bigint NOT NULL CHECK (amount <> 0),
    balance bigint NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    PRIMARY KEY (account_id, sequence)
);
-- Postings of an entry are next to each other, so that this index lists them under one key.
CREATE INDEX wallet_posting_entry ON wallet_posting (entry_id);

-- An operator's deposit methods. A change is a row with the next version; earlier terms stay on record.
CREATE TABLE wallet_deposit_method (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    method_id uuid NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    operator_id uuid NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    provider text NOT NULL CHECK (provider <> ''),
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    minimum bigint NOT NULL CHECK (minimum > 0),
    maximum bigint NOT NULL CHECK (maximum >= minimum),
    fee_fixed bigint NOT NULL CHECK (fee_fixed >= 0),
    fee_ppm integer NOT NULL CHECK (fee_ppm >= 0 AND fee_ppm < 1000000),
    processing_seconds integer NOT NULL CHECK (processing_seconds >= 0),
    supports_withdrawals boolean NOT NULL,
    enabled boolean NOT NULL,
    actor text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT wallet_deposit_method_version UNIQUE (method_id, version)
);
CREATE INDEX wallet_deposit_method_page ON wallet_deposit_method (operator_id, method_id, version DESC);

-- An operator's withdrawal policies, one for each currency: approvals, bounds and fees. Versioned like methods.
CREATE TABLE wallet_withdrawal_policy (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operator_id uuid NOT NULL,
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    version integer NOT NULL CHECK (version > 0),
    auto_approve_up_to bigint NOT NULL CHECK (auto_approve_up_to >= 0),
    second_approval_above bigint NOT NULL CHECK (second_approval_above >= auto_approve_up_to),
    actor text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    minimum bigint NOT NULL DEFAULT 1 CHECK (minimum > 0),
    maximum bigint CHECK (maximum >= minimum),
    max_pending integer CHECK (max_pending > 0),
    fee_fixed bigint NOT NULL DEFAULT 0 CHECK (fee_fixed >= 0),
    fee_ppm integer NOT NULL DEFAULT 0 CHECK (fee_ppm >= 0 AND fee_ppm < 1000000),
    played_ppm integer NOT NULL DEFAULT 1000000 CHECK (played_ppm >= 0),
    kyc_above bigint CHECK (kyc_above >= 0),
    hold_hours integer NOT NULL DEFAULT 72 CHECK (hold_hours > 0),
    hold_tags text[] NOT NULL DEFAULT '{}',
    CONSTRAINT wallet_withdrawal_policy_version UNIQUE (operator_id, currency, version)
);

-- Projections of the streams deposit-{id} and withdrawal-{id}. A provider's reference belongs to one of each.
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
    debt_created bigint NOT NULL CHECK (debt_created >= 0),
    requested_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL,
    CONSTRAINT wallet_deposit_reference UNIQUE (provider, reference)
);
CREATE INDEX wallet_deposit_player ON wallet_deposit (player_id, id DESC);
CREATE INDEX wallet_deposit_operator ON wallet_deposit (operator_id, id DESC);
CREATE INDEX wallet_deposit_status ON wallet_deposit (status, operator_id, id DESC);
CREATE INDEX wallet_deposit_window ON wallet_deposit (player_id, requested_at) INCLUDE (amount) WHERE status <> 'failed';
CREATE INDEX wallet_deposit_day ON wallet_deposit (operator_id, provider, requested_at);

CREATE TABLE wallet_withdrawal (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    method_id uuid NOT NULL,
    method_version integer NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    approvals_required integer NOT NULL CHECK (approvals_required BETWEEN 0 AND 2),
    approved_by text NOT NULL,
    rejected_by text,
    owner text,
    note text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('requested', 'held', 'approved', 'sent', 'paid', 'returned', 'rejected', 'cancelled')),
    reference text,
    reason text NOT NULL,
    requested_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL,
    fee bigint NOT NULL DEFAULT 0 CHECK (fee >= 0 AND fee < amount),
    CONSTRAINT wallet_withdrawal_reference UNIQUE (provider, reference)
);
CREATE INDEX wallet_withdrawal_player ON wallet_withdrawal (player_id, id DESC);
CREATE INDEX wallet_withdrawal_operator ON wallet_withdrawal (operator_id, id DESC);
CREATE INDEX wallet_withdrawal_status ON wallet_withdrawal (status, operator_id, id DESC);
CREATE INDEX wallet_withdrawal_day ON wallet_withdrawal (operator_id, provider, requested_at);

-- Projection of the streams hold-{id}: what keeps a withdrawal from being sent. One at most is open for each.
CREATE TABLE wallet_hold (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    withdrawal_id uuid NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    causes text NOT NULL CHECK (causes <> ''),
    status text NOT NULL CHECK (status IN ('open', 'released', 'rejected', 'closed')),
    owner text,
    told integer NOT NULL CHECK (told BETWEEN 0 AND 2),
    tell_at timestamptz,
    due_at timestamptz NOT NULL,
    decided_by text NOT NULL,
    reason text NOT NULL,
    placed_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL,
    CHECK ((status = 'open') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX wallet_hold_open ON wallet_hold (withdrawal_id) WHERE status = 'open';
CREATE INDEX wallet_hold_withdrawal ON wallet_hold (withdrawal_id);
CREATE INDEX wallet_hold_player ON wallet_hold (player_id, id DESC);
CREATE INDEX wallet_hold_operator ON wallet_hold (operator_id, id DESC);
CREATE INDEX wallet_hold_tell ON wallet_hold (tell_at) WHERE tell_at IS NOT NULL;

-- Verified messages as received, encrypted; `money` has those members in the clear that say what is paid. A nonce is
-- accepted once, independent of Redis.
CREATE TABLE wallet_providercallback (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider text NOT NULL,
    nonce text NOT NULL,
    operator_id uuid,
    player_id uuid,
    payment_id uuid,
    money text NOT NULL,
    body text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    next_try_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    outcome text,
    last_error text NOT NULL DEFAULT '',
    CONSTRAINT wallet_callback_nonce UNIQUE (provider, nonce)
);
CREATE INDEX wallet_callback_payment ON wallet_providercallback (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX wallet_callback_player ON wallet_providercallback (player_id, id) WHERE player_id IS NOT NULL;
CREATE INDEX wallet_callback_operator ON wallet_providercallback (operator_id, received_at)
    WHERE operator_id IS NOT NULL;
CREATE INDEX wallet_callback_received ON wallet_providercallback USING brin (received_at)
    WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX wallet_callback_waiting ON wallet_providercallback (next_try_at) WHERE outcome IS NULL;

-- Pending payments to start or poll at the provider, and when.
CREATE TABLE wallet_payment_due (
    payment_id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('deposit', 'payout')),
    due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempts integer NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT ''
);
CREATE INDEX wallet_payment_due_next ON wallet_payment_due (due_at);

-- Limits per spot that players set: a projection of the streams limit-{player}-{currency}. The key is the player's real
-- account in this currency.
CREATE TABLE wallet_table_limit (
    account_id uuid PRIMARY KEY,
    player_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    amount bigint CHECK (amount > 0),
    set_at timestamptz NOT NULL,
    next_change_at timestamptz NOT NULL CHECK (next_change_at > set_at),
    version integer NOT NULL CHECK (version > 0)
);

-- Restrictions of players and limits of operators: projections of the streams responsible-gaming-{player} and
-- operator-limits-{operator}. `limit_types` lists what is limited, so that nothing else is counted.
CREATE TABLE wallet_playerrestrictions (
    player_id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    state jsonb NOT NULL,
    limit_types text[] NOT NULL,
    excluded_until timestamptz,
    self_excluded boolean NOT NULL,
    blocked boolean NOT NULL,
    frozen boolean NOT NULL,
    version integer NOT NULL CHECK (version > 0)
);
CREATE INDEX wallet_playerrestrictions_excluded ON wallet_playerrestrictions (operator_id, excluded_until)
    WHERE excluded_until IS NOT NULL OR self_excluded;
CREATE INDEX wallet_playerrestrictions_blocked ON wallet_playerrestrictions (operator_id, player_id) WHERE blocked;
CREATE INDEX wallet_playerrestrictions_frozen ON wallet_playerrestrictions (operator_id, player_id) WHERE frozen;

CREATE TABLE wallet_operatorlimits (
    operator_id uuid PRIMARY KEY,
    state jsonb NOT NULL,
    limit_types text[] NOT NULL,
    version integer NOT NULL CHECK (version > 0)
);

-- Running totals of real money staked and lost after each posting of play on a player's account: the sum over any
-- window is the difference of two rows. Times never go back along an account, whatever the clock does.
CREATE TABLE wallet_turnover (
    account_id uuid NOT NULL,
    at timestamptz NOT NULL,
    sequence bigint NOT NULL,
    staked bigint NOT NULL,
    lost bigint NOT NULL,
    PRIMARY KEY (account_id, at, sequence) INCLUDE (staked, lost)
);

-- Slots of five UTC minutes in which a player has confirmed a wager of either money type.
CREATE TABLE wallet_played (
    player_id uuid NOT NULL,
    slot timestamptz NOT NULL,
    PRIMARY KEY (player_id, slot)
);

-- Notes of staff on exclusions. Personal, so not in events, and can be erased.
CREATE TABLE wallet_exclusion_note (
    player_id uuid NOT NULL,
    since timestamptz NOT NULL,
    operator_id uuid NOT NULL,
    author text NOT NULL CHECK (author <> ''),
    note text NOT NULL CHECK (note <> ''),
    PRIMARY KEY (player_id, since)
);

-- Projection of the streams adjustment-{id}. The requester cannot decide.
-- An operator without a row has the funding of the house.
CREATE TABLE wallet_funding (
    operator_id uuid PRIMARY KEY,
    funding text NOT NULL CHECK (funding IN ('house', 'transfer', 'seamless')),
    since timestamptz NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    wallet_url text NOT NULL DEFAULT '',
    -- The vocabulary in which the operator's own wallet is asked.
    wallet_profile text NOT NULL DEFAULT 'standard' CHECK (wallet_profile IN ('standard', 'hub88'))
);

CREATE TABLE wallet_transfer (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    reference text NOT NULL CHECK (reference <> ''),
    direction text NOT NULL CHECK (direction IN ('in', 'out')),
    money_type text NOT NULL CHECK (money_type IN ('real', 'play')),
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    amount bigint NOT NULL CHECK (amount > 0 OR everything AND amount = 0),
    everything boolean NOT NULL CHECK (direction = 'out' OR NOT everything),
    balance bigint NOT NULL CHECK (balance >= 0),
    at timestamptz NOT NULL,
    CONSTRAINT wallet_transfer_reference UNIQUE (operator_id, reference)
);
CREATE INDEX wallet_transfer_player ON wallet_transfer (player_id, id DESC);
CREATE INDEX wallet_transfer_operator ON wallet_transfer (operator_id, id DESC);

CREATE TABLE wallet_adjustment (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    money_type text NOT NULL CHECK (money_type IN ('real', 'play')),
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    direction text NOT NULL CHECK (direction IN ('credit', 'debit')),
    amount bigint NOT NULL CHECK (amount > 0),
    reason text NOT NULL CHECK (reason <> ''),
    note text NOT NULL,
    message text NOT NULL,
    requested_by text NOT NULL CHECK (requested_by <> ''),
    approved_by text NOT NULL,
    posted_at timestamptz NOT NULL,
    taken bigint NOT NULL CHECK (taken >= 0),
    owed bigint NOT NULL CHECK (owed >= 0),
    CONSTRAINT wallet_adjustment_another CHECK (approved_by <> requested_by)
);
CREATE INDEX wallet_adjustment_operator ON wallet_adjustment (operator_id, id DESC);
CREATE INDEX wallet_adjustment_player ON wallet_adjustment (player_id, id DESC);

-- Notices to players, once for each kind and subject.
CREATE TABLE wallet_notice (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    player_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind <> ''),
    subject_id uuid,
    details jsonb NOT NULL,
    message text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    read_at timestamptz,
    CONSTRAINT wallet_notice_once UNIQUE (player_id, kind, subject_id)
);
CREATE INDEX wallet_notice_player ON wallet_notice (player_id, id DESC);
CREATE INDEX wallet_notice_unread ON wallet_notice (player_id, id DESC) WHERE read_at IS NULL;

-- Projections of the streams reconciliation-{run} and discrepancy-{id}.
CREATE TABLE wallet_reconciliation (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL CHECK (currency ~ '^[A-Z0-9]{3,10}$'),
    day date NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL CHECK (until > since),
    ours integer NOT NULL CHECK (ours >= 0),
    theirs integer NOT NULL CHECK (theirs >= 0),
    matched integer NOT NULL CHECK (matched >= 0),
    amount bigint NOT NULL,
    discrepancies integer NOT NULL CHECK (discrepancies >= 0),
    compared_at timestamptz NOT NULL,
    version integer NOT NULL,
    CONSTRAINT wallet_reconciliation_once UNIQUE (operator_id, provider, currency, day)
);
CREATE INDEX wallet_reconciliation_page ON wallet_reconciliation (operator_id, day DESC, id DESC);

CREATE TABLE wallet_discrepancy (
    id uuid PRIMARY KEY,
    run_id uuid NOT NULL,
    operator_id uuid,
    provider text NOT NULL,
    currency text NOT NULL,
    day date NOT NULL,
    kind text CHECK (kind IN ('deposit', 'payout')),
    payment text NOT NULL,
    reference text NOT NULL,
    type text NOT NULL CHECK (type IN
        ('missing_ours', 'missing_theirs', 'amount_mismatch', 'status_mismatch', 'message_unapplied')),
    our_amount bigint,
    our_status text,
    their_amount bigint,
    their_currency text,
    their_status text,
    status text NOT NULL CHECK (status IN ('open', 'assigned', 'resolved', 'cleared')),
    owner text,
    resolution text,
    resolved_by text,
    found_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL
);
CREATE INDEX wallet_discrepancy_payment ON wallet_discrepancy (payment);
CREATE INDEX wallet_discrepancy_run ON wallet_discrepancy (run_id);
CREATE INDEX wallet_discrepancy_page ON wallet_discrepancy (operator_id, day DESC, id DESC);
CREATE INDEX wallet_discrepancy_open ON wallet_discrepancy (operator_id, day DESC, id DESC)
    WHERE status IN ('open', 'assigned');

-- Notes on discrepancies. Personal, so not in events.
CREATE TABLE wallet_discrepancy_note (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    discrepancy_id uuid NOT NULL,
    actor text NOT NULL,
    note text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX wallet_discrepancy_note_of ON wallet_discrepancy_note (discrepancy_id, id);

-- The last attempt to reconcile a day, and its error.
CREATE TABLE wallet_reconciliation_try (
    operator_id uuid NOT NULL,
    provider text NOT NULL,
    day date NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    tries integer NOT NULL DEFAULT 1,
    last_error text NOT NULL,
    PRIMARY KEY (operator_id, provider, day)
);

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
CREATE INDEX wallet_remote_round ON wallet_remote (round_id);

-- What is to be sent to operators' own wallets, and when: open credits, corrections and rollbacks, and debits whose
-- process may have died.
CREATE TABLE wallet_remote_due (
    transaction_id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    due_at timestamptz NOT NULL,
    since timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT ''
);
CREATE INDEX wallet_remote_due_next ON wallet_remote_due (operator_id, due_at);

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
