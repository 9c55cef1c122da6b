DROP FUNCTION wallet_play_leaving, wallet_play_total;
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
END $$;

DROP FUNCTION wallet_count_play(uuid[], text[], text[], int[], uuid[], bigint[], bigint[]);

-- A wager takes the stake from the game balance and counts as lost; what comes back at the settlement or the void is
-- lost no more. A wager that was voided has been staked all the same. The balances of the accounts are locked by whoever
-- posts, so each account's totals follow one another.
CREATE FUNCTION wallet_count_play() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH moved AS MATERIALIZED (
        SELECT posting.account_id, posting.sequence, posting.amount, entry.kind, entry.recorded_at,
               account.player_id, account.book
          FROM inserted posting
         CROSS JOIN LATERAL (SELECT kind, recorded_at FROM wallet_entry WHERE id = posting.entry_id LIMIT 1) entry
         CROSS JOIN LATERAL (SELECT player_id, book, kind FROM wallet_account WHERE id = posting.account_id LIMIT 1) account
         WHERE entry.kind IN ('wager', 'settlement', 'void') AND account.kind IN ('game', 'account', 'debt')
    ), played AS (
        INSERT INTO wallet_played (player_id, slot)
        SELECT DISTINCT player_id, date_bin('5 minutes', recorded_at, '2000-01-01 00:00+00')
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
    RETURN NULL;
END $$;

CREATE TRIGGER wallet_posting_played AFTER INSERT ON wallet_posting
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_count_play();
