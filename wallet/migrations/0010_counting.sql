-- What was played is counted where entries are posted, and no longer by a trigger: the kinds of entries and the names of
-- accounts are at hand there, and postings of any other kind cost nothing.
DROP TRIGGER wallet_posting_played ON wallet_posting;
DROP FUNCTION wallet_count_play();

-- A wager takes the stake from the game balance and counts as lost; what comes back at the settlement or the void is
-- lost no more. A wager that was voided has been staked all the same. The balances of the accounts are locked by whoever
-- posts, so each account's totals follow one another.
CREATE FUNCTION wallet_count_play(
    ids uuid[], names text[], entry_kinds text[],
    posting_entries int[], posting_accounts uuid[], amounts bigint[], made bigint[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH moved AS MATERIALIZED (
        SELECT posting.account_id, posting.amount, entry_kinds[posting.entry] AS kind,
               split_part(named.name, '/', 3) AS book, split_part(named.name, '/', 5)::uuid AS player_id,
               (SELECT recorded_at FROM wallet_entry WHERE id = made[posting.entry]) AS recorded_at,
               (SELECT written.sequence FROM wallet_posting written
                 WHERE written.entry_id = made[posting.entry] AND written.account_id = posting.account_id) AS sequence
          FROM unnest(posting_entries, posting_accounts, amounts) AS posting (entry, account_id, amount)
          JOIN unnest(ids, names) AS named (id, name) ON named.id = posting.account_id
         WHERE made[posting.entry] IS NOT NULL AND entry_kinds[posting.entry] IN ('wager', 'settlement', 'void')
           AND split_part(named.name, '/', 1) IN ('game', 'account', 'debt')
           AND (split_part(named.name, '/', 3) = 'real' OR entry_kinds[posting.entry] = 'wager')
    ), played AS (
        INSERT INTO wallet_played (player_id, slot)
        SELECT DISTINCT player_id, date_bin('5 minutes', recorded_at, '2000-01-01 00:00+00') AS slot
          FROM moved WHERE kind = 'wager'
         ORDER BY 1, 2
            ON CONFLICT DO NOTHING
    )
    INSERT INTO wallet_turnover (account_id, at, sequence, staked, lost)
    SELECT moved.account_id, greatest(before.at, max(recorded_at) OVER so_far), moved.sequence,
           coalesce(before.staked, 0) - coalesce(sum(amount) FILTER (WHERE kind = 'wager') OVER so_far, 0),
           coalesce(before.lost, 0) - sum(amount) OVER so_far
      FROM moved
      LEFT JOIN LATERAL (
          SELECT at, staked, lost FROM wallet_turnover total WHERE total.account_id = moved.account_id
           ORDER BY at DESC, sequence DESC LIMIT 1) before ON true
     WHERE book = 'real'
    WINDOW so_far AS (PARTITION BY moved.account_id ORDER BY moved.sequence);
END $$;

-- Posts entries in their order, each once per cause. `posting_entries` says which entry a posting belongs to, by the
-- entry's place from 1. The plan is made once: planning anew for each batch would take longer than running it.
CREATE OR REPLACE FUNCTION wallet_post(
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
    IF entry_kinds && '{wager,settlement,void}' THEN
        PERFORM wallet_count_play(ids, names, entry_kinds, posting_entries, posting_accounts, amounts, made);
    END IF;
END $$;

-- What a player had staked, or lost, in all up to a moment.
CREATE FUNCTION wallet_play_total(player uuid, moment timestamptz, of_losses boolean) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(CASE WHEN of_losses THEN total.lost ELSE total.staked END), 0)::bigint
      FROM wallet_account account
     CROSS JOIN LATERAL (
         SELECT staked, lost FROM wallet_turnover
          WHERE account_id = account.id AND at <= moment ORDER BY at DESC, sequence DESC LIMIT 1) total
     WHERE account.player_id = player AND account.book = 'real' AND account.kind IN ('game', 'account', 'debt')
$$;

-- When so much of what was staked, or lost, since `start` has left a window that it is room enough: the time of a posting
-- up to which `over` or more was. Found by halving the time, as totals up to any moment are one look-up for each account.
-- Losses come and go: it is then one of the moments at which that is so.
CREATE FUNCTION wallet_play_leaving(player uuid, start timestamptz, over bigint, of_losses boolean) RETURNS timestamptz
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    low timestamptz := start;
    high timestamptz;
    middle timestamptz;
    base bigint;
    so_far bigint;
BEGIN
    base := wallet_play_total(player, start, of_losses);
    SELECT max(last.at) INTO high
      FROM wallet_account account
     CROSS JOIN LATERAL (
         SELECT at FROM wallet_turnover total WHERE total.account_id = account.id ORDER BY at DESC LIMIT 1) last
     WHERE account.player_id = player AND account.book = 'real' AND account.kind IN ('game', 'account', 'debt');
    IF high IS NULL OR high <= start OR wallet_play_total(player, high, of_losses) - base < over THEN
        RETURN NULL;
    END IF;
    WHILE high - low > interval '1 microsecond' LOOP
        middle := low + (high - low) / 2;
        so_far := wallet_play_total(player, middle, of_losses);
        IF so_far - base >= over THEN
            high := middle;
        ELSE
            low := middle;
        END IF;
    END LOOP;
    RETURN high;
END $$;
