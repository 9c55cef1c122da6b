-- The postings that one statement inserts for an entry sum to zero per currency and money type. One pass over the
-- inserted rows: a batch of two hundred postings costs one query.
CREATE FUNCTION wallet_refuse_unbalanced_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    conflicting bigint;
BEGIN
    SELECT entry_id INTO conflicting
      FROM (SELECT posting.entry_id, posting.amount,
                   (SELECT account.currency || '/' || account.money_type
                      FROM wallet_account account WHERE account.id = posting.account_id) AS unit
              FROM inserted posting) named
     GROUP BY entry_id, unit
    HAVING sum(amount) <> 0 OR unit IS NULL
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'wallet entry % does not sum to zero in each currency and money_type', conflicting
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER wallet_posting_balanced AFTER INSERT ON wallet_posting
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION wallet_refuse_unbalanced_postings();

-- At commit every new entry has two postings or more that sum to zero per currency and money type.
CREATE FUNCTION wallet_refuse_partial_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    postings bigint;
    unbalanced boolean;
BEGIN
    SELECT coalesce(sum(unit.postings), 0), coalesce(bool_or(unit.total <> 0), false)
      INTO postings, unbalanced
      FROM (SELECT count(*) AS postings, sum(posting.amount) AS total
              FROM wallet_posting posting JOIN wallet_account account ON account.id = posting.account_id
             WHERE posting.entry_id = NEW.cause
             GROUP BY account.currency, account.money_type) unit;
    IF postings < 2 OR unbalanced THEN
        RAISE EXCEPTION 'wallet entry % has % postings, or they do not sum to zero', NEW.cause, postings
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER wallet_entry_whole AFTER INSERT ON wallet_entry
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_partial_entry();

-- Opens accounts that do not exist yet. A name is kind/operator/money_type/currency/player/table, the same text
-- that its id is new_entries from; the last two may be empty.
CREATE FUNCTION wallet_open(ids uuid[], names text[]) RETURNS void LANGUAGE sql AS $$
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

-- Locks balances in the order of their ids and opens missing accounts. If any is missing, nothing is locked before it is
-- opened: locking some first and the rest later would break the order and could deadlock.
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

-- Raises when a stored entry differs from the one sent again. `new_entries` holds the cause of each new entry by its
-- place, and null for the others.
CREATE FUNCTION wallet_refuse_contradiction(
    new_entries bigint[], entry_kinds text[], entry_causes bigint[],
    posting_entries int[], posting_accounts uuid[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    conflicting bigint;
BEGIN
    WITH again AS (
        SELECT place, kind, cause
          FROM unnest(entry_kinds, entry_causes) WITH ORDINALITY AS entry (kind, cause, place)
         WHERE new_entries[place] IS NULL
    ), sent AS (
        SELECT again.cause, again.kind, posting.account_id, posting.amount
          FROM again
          JOIN unnest(posting_entries, posting_accounts, amounts) AS posting (place, account_id, amount) USING (place)
    ), stored AS (
        SELECT entry.cause, entry.kind, posting.account_id, posting.amount
          FROM again
          JOIN wallet_entry entry ON entry.cause = again.cause
          JOIN wallet_posting posting ON posting.entry_id = entry.cause
    )
    SELECT cause INTO conflicting
      FROM ((TABLE sent EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE sent)) difference
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'event % has already led to another entry', conflicting USING ERRCODE = 'WLT02';
    END IF;
END $$;

-- Raises with the first account that cannot pay, its balance before the failing entry, and the amount needed.
CREATE FUNCTION wallet_refuse_overdraft(
    overdrawn uuid[], new_entries bigint[], posting_entries int[], posting_accounts uuid[], amounts bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    shortfall record;
BEGIN
    SELECT moved.account_id, held.balance + moved.running - moved.amount AS balance, -moved.amount AS needed
      INTO STRICT shortfall
      FROM (SELECT account_id, amount, entry, sum(amount) OVER (PARTITION BY account_id ORDER BY entry) AS running
              FROM unnest(posting_entries, posting_accounts, amounts) AS posting (entry, account_id, amount)
             WHERE account_id = ANY (overdrawn) AND new_entries[entry] IS NOT NULL) moved
      JOIN wallet_balance held ON held.account_id = moved.account_id
     WHERE held.floor AND held.balance + moved.running < 0
     ORDER BY moved.entry, moved.account_id
     LIMIT 1;
    RAISE EXCEPTION 'account % holds % and cannot pay %', shortfall.account_id, shortfall.balance, shortfall.needed
        USING ERRCODE = 'WLT01', DETAIL = concat_ws(' ', shortfall.account_id, shortfall.balance, shortfall.needed);
END $$;

-- A wager counts as lost until a settlement or void returns something; a voided wager still counts as staked. The caller
-- holds the locks of the balances, so each account's totals follow one another.
CREATE FUNCTION wallet_count_play(
    ids uuid[], names text[], entry_kinds text[],
    posting_entries int[], posting_accounts uuid[], amounts bigint[], new_entries bigint[]
) RETURNS void LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    WITH moved AS MATERIALIZED (
        SELECT posting.account_id, posting.amount, entry_kinds[posting.entry] AS kind,
               split_part(named.name, '/', 3) AS money_type, split_part(named.name, '/', 5)::uuid AS player_id,
               (SELECT recorded_at FROM wallet_entry WHERE cause = new_entries[posting.entry]) AS recorded_at,
               (SELECT written.sequence FROM wallet_posting written
                 WHERE written.entry_id = new_entries[posting.entry] AND written.account_id = posting.account_id) AS sequence
          FROM unnest(posting_entries, posting_accounts, amounts) AS posting (entry, account_id, amount)
          JOIN unnest(ids, names) AS named (id, name) ON named.id = posting.account_id
         WHERE new_entries[posting.entry] IS NOT NULL AND entry_kinds[posting.entry] IN ('wager', 'settlement', 'void')
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
     WHERE money_type = 'real'
    WINDOW so_far AS (PARTITION BY moved.account_id ORDER BY moved.sequence);
END $$;

-- Posts entries in their order, each once per cause. `posting_entries` says which entry a posting belongs to, by the
-- entry's place from 1. The plan is generic: planning each batch would take longer than running it.
CREATE FUNCTION wallet_post(
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

-- A player's usage in the windows that begin after `starts`, longest last: minor units of the currency `unit` staked and
-- lost, minutes played,
-- and whether the current five minutes count already. Separate statements, so that the holder of the lock of the
-- player's account sees everything committed before.
CREATE FUNCTION wallet_play_used(
    player uuid, unit text, starts timestamptz[], with_money boolean, with_time boolean)
RETURNS TABLE (staked bigint[], lost bigint[], played bigint[], slot_counted boolean)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    present CONSTANT timestamptz := date_bin('5 minutes', clock_timestamp(), '2000-01-01 00:00+00');
BEGIN
    IF with_money THEN
        SELECT array[coalesce(sum(last.staked - coalesce(day.staked, 0)), 0),
                     coalesce(sum(last.staked - coalesce(week.staked, 0)), 0),
                     coalesce(sum(last.staked - coalesce(month.staked, 0)), 0)],
               array[coalesce(sum(last.lost - coalesce(day.lost, 0)), 0),
                     coalesce(sum(last.lost - coalesce(week.lost, 0)), 0),
                     coalesce(sum(last.lost - coalesce(month.lost, 0)), 0)]
          INTO staked, lost
          FROM wallet_account account
         CROSS JOIN LATERAL (
             SELECT total.at, total.staked, total.lost FROM wallet_turnover total
              WHERE total.account_id = account.id ORDER BY at DESC, sequence DESC LIMIT 1) last
          LEFT JOIN LATERAL (
             SELECT total.staked, total.lost FROM wallet_turnover total
              WHERE total.account_id = account.id AND total.at <= starts[1]
              ORDER BY at DESC, sequence DESC LIMIT 1) day ON true
          LEFT JOIN LATERAL (
             SELECT total.staked, total.lost FROM wallet_turnover total
              WHERE total.account_id = account.id AND total.at <= starts[2]
              ORDER BY at DESC, sequence DESC LIMIT 1) week ON true
          LEFT JOIN LATERAL (
             SELECT total.staked, total.lost FROM wallet_turnover total
              WHERE total.account_id = account.id AND total.at <= starts[3]
              ORDER BY at DESC, sequence DESC LIMIT 1) month ON true
         WHERE account.player_id = player AND account.money_type = 'real' AND account.kind IN ('game', 'account', 'debt')
           AND account.currency = unit AND last.at > starts[3];
    END IF;
    IF with_time THEN
        SELECT array[5 * count(*) FILTER (WHERE slot > starts[1] - interval '5 minutes'),
                     5 * count(*) FILTER (WHERE slot > starts[2] - interval '5 minutes'),
                     5 * count(*) FILTER (WHERE slot > starts[3] - interval '5 minutes')],
               coalesce(bool_or(slot = present), false)
          INTO played, slot_counted
          FROM wallet_played
         WHERE player_id = player AND slot > starts[3] - interval '5 minutes';
    END IF;
    RETURN NEXT;
END $$;

-- Everything that a wager, buy-in or rebuy is checked against, in one round trip: balance, debt, restrictions and usage.
-- The lock of the player's account comes first: concurrent moves run one by one, and a change of restrictions comes
-- before or after, never between.
CREATE FUNCTION wallet_eligibility(
    spent uuid, account uuid, owing uuid, player uuid, operator uuid, unit text, starts timestamptz[], with_money boolean
) RETURNS TABLE (
    balance bigint, owed bigint, restrictions text, operator_limits text, group_limits text,
    staked bigint[], lost bigint[], played bigint[], slot_counted boolean
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    limit_types text[];
BEGIN
    PERFORM FROM wallet_balance WHERE account_id = account FOR NO KEY UPDATE;
    SELECT coalesce((SELECT held.balance FROM wallet_balance held WHERE account_id = spent), 0),
           coalesce((SELECT -held.balance FROM wallet_balance held WHERE account_id = owing), 0),
           own.state::text, all_players.state::text,
           CASE WHEN grouped.id IS NULL THEN NULL ELSE to_jsonb(grouped)::text END,
           coalesce(own.limit_types, '{}') || coalesce(all_players.limit_types, '{}')
               || CASE WHEN coalesce(grouped.stake_day, grouped.loss_day) IS NULL THEN '{}'
                       ELSE '{stake,loss}'::text[] END
      INTO balance, owed, restrictions, operator_limits, group_limits, limit_types
      FROM (SELECT) AS always
      LEFT JOIN wallet_playerrestrictions own ON own.player_id = player
      LEFT JOIN wallet_operatorlimits all_players ON all_players.operator_id = operator
      LEFT JOIN operators_player member ON member.id = player
      LEFT JOIN operators_limitsgroup grouped ON grouped.operator_id = operator
           AND grouped.name = member.limits_group AND grouped.currency = unit;
    IF cardinality(limit_types) > 0 THEN
        SELECT used.staked, used.lost, used.played, used.slot_counted
          INTO staked, lost, played, slot_counted
          FROM wallet_play_used(player, unit, starts, with_money AND limit_types && '{stake,loss}', 'time' = ANY (limit_types)) used;
    END IF;
    RETURN NEXT;
END $$;

-- A player's total stakes, or losses, up to a moment.
CREATE FUNCTION wallet_play_total(player uuid, unit text, moment timestamptz, of_losses boolean) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(CASE WHEN of_losses THEN total.lost ELSE total.staked END), 0)::bigint
      FROM wallet_account account
     CROSS JOIN LATERAL (
         SELECT staked, lost FROM wallet_turnover
          WHERE account_id = account.id AND at <= moment ORDER BY at DESC, sequence DESC LIMIT 1) total
     WHERE account.player_id = player AND account.currency = unit AND account.money_type = 'real'
       AND account.kind IN ('game', 'account', 'debt')
$$;

-- The time of the posting up to which `over` or more was staked, or lost, since `start`: once it has left the window,
-- there is room. Bisects the time, as totals up to any moment are one look-up per account. Losses may fall again: the
-- result is then one of several such moments.
CREATE FUNCTION wallet_play_leaving(player uuid, unit text, start timestamptz, over bigint, of_losses boolean) RETURNS timestamptz
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    low timestamptz := start;
    high timestamptz;
    middle timestamptz;
    base bigint;
    so_far bigint;
BEGIN
    base := wallet_play_total(player, unit, start, of_losses);
    SELECT max(last.at) INTO high
      FROM wallet_account account
     CROSS JOIN LATERAL (
         SELECT at FROM wallet_turnover total WHERE total.account_id = account.id ORDER BY at DESC LIMIT 1) last
     WHERE account.player_id = player AND account.currency = unit AND account.money_type = 'real'
       AND account.kind IN ('game', 'account', 'debt');
    IF high IS NULL OR high <= start OR wallet_play_total(player, unit, high, of_losses) - base < over THEN
        RETURN NULL;
    END IF;
    WHILE high - low > interval '1 microsecond' LOOP
        middle := low + (high - low) / 2;
        so_far := wallet_play_total(player, unit, middle, of_losses);
        IF so_far - base >= over THEN
            high := middle;
        ELSE
            low := middle;
        END IF;
    END LOOP;
    RETURN high;
END $$;
