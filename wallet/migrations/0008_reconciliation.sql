-- Projections of the streams reconciliation-{run} and difference-{id}.
CREATE TABLE wallet_reconciliation (
    id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    day date NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL CHECK (until > since),
    ours integer NOT NULL CHECK (ours >= 0),
    theirs integer NOT NULL CHECK (theirs >= 0),
    matched integer NOT NULL CHECK (matched >= 0),
    amount bigint NOT NULL,
    differing integer NOT NULL CHECK (differing >= 0),
    compared_at timestamptz NOT NULL,
    version integer NOT NULL,
    CONSTRAINT wallet_reconciliation_once UNIQUE (operator_id, provider, currency, day)
);
CREATE INDEX wallet_reconciliation_page ON wallet_reconciliation (operator_id, day DESC, id DESC);

CREATE TABLE wallet_difference (
    id uuid PRIMARY KEY,
    run_id uuid NOT NULL,
    operator_id uuid NOT NULL,
    provider text NOT NULL,
    currency text NOT NULL,
    day date NOT NULL,
    kind text NOT NULL CHECK (kind IN ('deposit', 'payout')),
    payment text NOT NULL,
    reference text NOT NULL,
    what text NOT NULL CHECK (what IN ('missing_here', 'missing_there', 'amount_differs', 'state_differs')),
    our_amount bigint,
    our_state text,
    their_amount bigint,
    their_currency text,
    their_state text,
    status text NOT NULL CHECK (status IN ('open', 'assigned', 'resolved', 'gone')),
    owner text,
    resolution text,
    resolved_by text,
    found_at timestamptz NOT NULL,
    ended_at timestamptz,
    version integer NOT NULL
);
CREATE INDEX wallet_difference_run ON wallet_difference (run_id);
CREATE INDEX wallet_difference_page ON wallet_difference (operator_id, day DESC, id DESC);
CREATE INDEX wallet_difference_open ON wallet_difference (operator_id, day DESC, id DESC)
    WHERE status IN ('open', 'assigned');

-- What was said about differences, which may be personal: no event holds it.
CREATE TABLE wallet_difference_note (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    difference_id uuid NOT NULL,
    actor text NOT NULL,
    note text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX wallet_difference_note_of ON wallet_difference_note (difference_id, id);

-- When a day was last tried, and what was in the way: of the machinery, and no part of the books.
CREATE TABLE wallet_reconciliation_try (
    operator_id uuid NOT NULL,
    provider text NOT NULL,
    day date NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    tries integer NOT NULL DEFAULT 1,
    trouble text NOT NULL,
    PRIMARY KEY (operator_id, provider, day)
);

CREATE INDEX wallet_deposit_day ON wallet_deposit (operator_id, provider, requested_at);
CREATE INDEX wallet_withdrawal_day ON wallet_withdrawal (operator_id, provider, requested_at);
