-- Opens the named accounts that do not exist yet. A name is kind/operator/book/currency/player/table, the same text
-- that its id is made from; the last two may be empty.
CREATE FUNCTION wallet_open(ids uuid[], names text[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO wallet_account (id, kind, operator_id, book, currency, player_id, table_id)
    SELECT id, split_part(name, '/', 1), split_part(name, '/', 2)::uuid, split_part(name, '/', 3),
           split_part(name, '/', 4), nullif(split_part(name, '/', 5), '')::uuid, nullif(split_part(name, '/', 6), '')::uuid
      FROM unnest(ids, names) AS named (id, name)
     ORDER BY id
        ON CONFLICT (id) DO NOTHING;
    INSERT INTO wallet_balance (account_id, floor)
    SELECT id, split_part(name, '/', 1) IN ('account', 'game', 'rack', 'stakes')
      FROM unnest(ids, names) AS named (id, name)
     ORDER BY id
        ON CONFLICT (account_id) DO NOTHING;
$$;

-- Locks the balances in the order of their ids, opening accounts that are not there yet. Unless all are there it locks
-- none before it opens: who held some and then waited for the rest would lock out of order, and meet others head on.
CREATE FUNCTION wallet_lock(ids uuid[], names text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    locked bigint;
BEGIN
    PERFORM FROM wallet_balance
      WHERE account_id = ANY (ids)
        AND (SELECT count(*) FROM wallet_balance WHERE account_id = ANY (ids)) = cardinality(ids)
      ORDER BY account_id FOR NO KEY UPDATE;
    GET DIAGNOSTICS locked = ROW_COUNT;
    IF locked < cardinality(ids) THEN
        PERFORM wallet_open(ids, names);
        PERFORM FROM wallet_balance WHERE account_id = ANY (ids) ORDER BY account_id FOR NO KEY UPDATE;
    END IF;
END $$;

-- Raises when an entry that is already there is not the one that was sent again. `made` holds the id of each entry that
-- is new, by its place, and null for the others.
CREATE FUNCTION wallet_refuse_contradiction(
    made bigint[], entry_kinds text[], entry_causes bigint[], posting_entries int[], posting_accounts uuid[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wrong bigint;
BEGIN
    WITH again AS (
        SELECT place, kind, cause
          FROM unnest(entry_kinds, entry_causes) WITH ORDINALITY AS entry (kind, cause, place)
         WHERE made[place] IS NULL
    ), sent AS (
        SELECT again.cause, again.kind, posting.account_id, posting.amount
          FROM again
          JOIN unnest(posting_entries, posting_accounts, amounts) AS posting (place, account_id, amount) USING (place)
    ), stored AS (
        SELECT entry.cause, entry.kind, posting.account_id, posting.amount
          FROM again
          JOIN wallet_entry entry ON entry.cause = again.cause
          JOIN wallet_posting posting ON posting.entry_id = entry.id
    )
    SELECT cause INTO wrong
      FROM ((TABLE sent EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE sent)) difference
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'event % has already led to another entry', wrong USING ERRCODE = 'WLT02';
    END IF;
END $$;

-- Raises with the first of the accounts that cannot pay, its balance before the entry that fails, and what it takes.
CREATE FUNCTION wallet_refuse_overdraft(
    unable uuid[], made bigint[], posting_entries int[], posting_accounts uuid[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    poor record;
BEGIN
    SELECT moved.account_id, held.balance + moved.running - moved.amount AS balance, -moved.amount AS needed
      INTO STRICT poor
      FROM (SELECT account_id, amount, entry, sum(amount) OVER (PARTITION BY account_id ORDER BY entry) AS running
              FROM unnest(posting_entries, posting_accounts, amounts) AS posting (entry, account_id, amount)
             WHERE account_id = ANY (unable) AND made[entry] IS NOT NULL) moved
      JOIN wallet_balance held ON held.account_id = moved.account_id
     WHERE held.floor AND held.balance + moved.running < 0
     ORDER BY moved.entry, moved.account_id
     LIMIT 1;
    RAISE EXCEPTION 'account % holds % and cannot pay %', poor.account_id, poor.balance, poor.needed
        USING ERRCODE = 'WLT01', DETAIL = concat_ws(' ', poor.account_id, poor.balance, poor.needed);
END $$;

-- Posts entries in their order, each once per cause. `posting_entries` says which entry a posting belongs to, by the
-- entry's place from 1. The plan is made once: planning anew for each batch would take longer than running it.
CREATE FUNCTION wallet_post(
    ids uuid[], names text[], entry_kinds text[], entry_causes bigint[],
    posting_entries int[], posting_accounts uuid[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    made bigint[];
    unable uuid[];
BEGIN
    PERFORM wallet_lock(ids, names);

    WITH fresh AS (
        INSERT INTO wallet_entry (kind, cause)
        SELECT kind, cause
          FROM unnest(entry_kinds, entry_causes) WITH ORDINALITY AS entry (kind, cause, place)
         ORDER BY place
            ON CONFLICT (cause) DO NOTHING
        RETURNING id
    )
    SELECT array_agg(id ORDER BY id) INTO made FROM fresh;

    IF cardinality(made) IS DISTINCT FROM cardinality(entry_causes) THEN
        SELECT array_agg(entry.id ORDER BY place) INTO made
          FROM unnest(entry_causes) WITH ORDINALITY AS sent (cause, place)
          LEFT JOIN wallet_entry entry ON entry.cause = sent.cause AND entry.id = ANY (made);
        PERFORM wallet_refuse_contradiction(
            made, entry_kinds, entry_causes, posting_entries, posting_accounts, amounts);
    END IF;

    WITH moved AS (
        SELECT entry, account_id, amount, sum(amount) OVER so_far AS running, row_number() OVER so_far AS nth
          FROM unnest(posting_entries, posting_accounts, amounts) AS posting (entry, account_id, amount)
         WHERE made[entry] IS NOT NULL
        WINDOW so_far AS (PARTITION BY account_id ORDER BY entry)
    ), change AS (
        SELECT account_id, sum(amount)::bigint AS total, min(running) AS lowest, count(*) AS postings
          FROM moved GROUP BY account_id
    ), held AS (
        UPDATE wallet_balance
           SET balance = balance + total, sequence = sequence + postings
          FROM change
         WHERE wallet_balance.account_id = change.account_id AND NOT (floor AND balance + lowest < 0)
        RETURNING wallet_balance.account_id, balance - total AS balance, sequence - postings AS sequence
    ), poor AS (
        SELECT account_id FROM change WHERE account_id NOT IN (SELECT account_id FROM held)
    ), written AS (
        INSERT INTO wallet_posting (entry_id, account_id, amount, balance, sequence)
        SELECT made[entry], account_id, amount, held.balance + running, held.sequence + nth
          FROM moved JOIN held USING (account_id)
         WHERE NOT EXISTS (SELECT FROM poor)
         ORDER BY entry, account_id
    )
    SELECT array_agg(account_id) INTO unable FROM poor;
    IF unable IS NOT NULL THEN
        PERFORM wallet_refuse_overdraft(unable, made, posting_entries, posting_accounts, amounts);
    END IF;
END $$;
