-- As before; and an entry names its operator, which is that of all its accounts, so that an operator's entries of a time
-- have an index. Entries from before name none.
ALTER TABLE wallet_entry ADD COLUMN operator_id uuid;

CREATE OR REPLACE FUNCTION wallet_post(
    ids uuid[], names text[], entry_kinds text[], entry_causes bigint[],
    posting_entries int[], posting_accounts uuid[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    new_entries bigint[];
    overdrawn uuid[];
BEGIN
    PERFORM wallet_lock(ids, names);

    WITH fresh AS (
        INSERT INTO wallet_entry (kind, cause, operator_id)
        SELECT kind, cause, split_part(names[array_position(ids, posting_accounts[array_position(posting_entries, place::int)])],
                                       '/', 2)::uuid
          FROM unnest(entry_kinds, entry_causes) WITH ORDINALITY AS entry (kind, cause, place)
         ORDER BY place
            ON CONFLICT (cause) DO NOTHING
        RETURNING cause
    )
    SELECT array_agg(cause) INTO new_entries FROM fresh;

    IF cardinality(new_entries) = cardinality(entry_causes) THEN
        new_entries := entry_causes;
    ELSE
        SELECT array_agg(CASE WHEN cause = ANY (new_entries) THEN cause END ORDER BY place) INTO new_entries
          FROM unnest(entry_causes) WITH ORDINALITY AS sent (cause, place);
        PERFORM wallet_refuse_contradiction(
            new_entries, entry_kinds, entry_causes, posting_entries, posting_accounts, amounts);
    END IF;

    WITH moved AS (
        SELECT entry, account_id, amount, sum(amount) OVER so_far AS running, row_number() OVER so_far AS nth
          FROM unnest(posting_entries, posting_accounts, amounts) AS posting (entry, account_id, amount)
         WHERE new_entries[entry] IS NOT NULL
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
    ), shortfall AS (
        SELECT account_id FROM change WHERE account_id NOT IN (SELECT account_id FROM held)
    ), written AS (
        INSERT INTO wallet_posting (entry_id, account_id, amount, balance, sequence)
        SELECT new_entries[entry], account_id, amount, held.balance + running, held.sequence + nth
          FROM moved JOIN held USING (account_id)
         WHERE NOT EXISTS (SELECT FROM shortfall)
         ORDER BY entry, account_id
    )
    SELECT array_agg(account_id) INTO overdrawn FROM shortfall;
    IF overdrawn IS NOT NULL THEN
        PERFORM wallet_refuse_overdraft(overdrawn, new_entries, posting_entries, posting_accounts, amounts);
    END IF;
    IF entry_kinds && '{wager,settlement,void}' THEN
        PERFORM wallet_count_play(ids, names, entry_kinds, posting_entries, posting_accounts, amounts, new_entries);
    END IF;
END $$;
