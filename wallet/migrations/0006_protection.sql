-- What protects a player, and what an operator holds all its players to: projections of the streams protection-{player}
-- and house-{operator}. `measures` names what is limited, so that the rest need not be counted.
CREATE TABLE wallet_protection (
    player_id uuid PRIMARY KEY,
    operator_id uuid NOT NULL,
    state jsonb NOT NULL,
    measures text[] NOT NULL,
    excluded_until timestamptz,
    version integer NOT NULL CHECK (version > 0)
);
CREATE INDEX wallet_protection_excluded ON wallet_protection (operator_id, excluded_until)
    WHERE excluded_until IS NOT NULL;

CREATE TABLE wallet_house (
    operator_id uuid PRIMARY KEY,
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    state jsonb NOT NULL,
    measures text[] NOT NULL,
    version integer NOT NULL CHECK (version > 0)
);

-- What a player has staked and lost in all, in real money, after each posting on an account of the player that follows
-- from play. Running totals: the sum over any window is the difference of two rows, however many lie between them.
-- Times never go back along an account, whatever the clock does.
CREATE TABLE wallet_turnover (
    account_id uuid NOT NULL,
    at timestamptz NOT NULL,
    sequence bigint NOT NULL,
    staked bigint NOT NULL,
    lost bigint NOT NULL,
    PRIMARY KEY (account_id, at, sequence) INCLUDE (staked, lost)
);

-- The five minutes, by the UTC clock, in which a player has confirmed a wager in either book.
CREATE TABLE wallet_played (
    player_id uuid NOT NULL,
    slot timestamptz NOT NULL,
    PRIMARY KEY (player_id, slot)
);

CREATE INDEX wallet_deposit_window ON wallet_deposit (player_id, requested_at) INCLUDE (amount) WHERE status <> 'failed';

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

-- What a player has used in the windows that begin after `starts`, longest last: minor units staked and lost, minutes
-- played, and whether the present five minutes count already. Statements of their own, so that whoever holds the lock
-- of the player's account sees all that was committed before.
CREATE FUNCTION wallet_play_used(player uuid, starts timestamptz[], with_money boolean, with_time boolean)
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
         WHERE account.player_id = player AND account.book = 'real' AND account.kind IN ('game', 'account', 'debt')
           AND last.at > starts[3];
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

-- All that a wager, a seat or a rebuy is judged by, in one round trip: what a purse holds, what is owed, what protects the
-- player, and what is used of it. The lock of the player's account comes first, so that fifty at once come one by one,
-- and a change of what protects the player comes before or after, never between.
CREATE FUNCTION wallet_standing(
    purse uuid, account uuid, owing uuid, player uuid, operator uuid, starts timestamptz[], with_money boolean
) RETURNS TABLE (
    balance bigint, owed bigint, protection text, house text,
    staked bigint[], lost bigint[], played bigint[], slot_counted boolean
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    measures text[];
BEGIN
    PERFORM FROM wallet_balance WHERE account_id = account FOR NO KEY UPDATE;
    SELECT coalesce((SELECT held.balance FROM wallet_balance held WHERE account_id = purse), 0),
           coalesce((SELECT -held.balance FROM wallet_balance held WHERE account_id = owing), 0),
           own.state::text, all_players.state::text,
           coalesce(own.measures, '{}') || coalesce(all_players.measures, '{}')
      INTO balance, owed, protection, house, measures
      FROM (SELECT) AS always
      LEFT JOIN wallet_protection own ON own.player_id = player
      LEFT JOIN wallet_house all_players ON all_players.operator_id = operator;
    IF cardinality(measures) > 0 THEN
        SELECT used.staked, used.lost, used.played, used.slot_counted
          INTO staked, lost, played, slot_counted
          FROM wallet_play_used(player, starts, with_money AND measures && '{stake,loss}', 'time' = ANY (measures)) used;
    END IF;
    RETURN NEXT;
END $$;

-- What was played before this was counted.
INSERT INTO wallet_played (player_id, slot)
SELECT DISTINCT account.player_id, date_bin('5 minutes', entry.recorded_at, '2000-01-01 00:00+00')
  FROM wallet_posting posting
  JOIN wallet_entry entry ON entry.id = posting.entry_id AND entry.kind = 'wager'
  JOIN wallet_account account ON account.id = posting.account_id AND account.kind = 'game';
INSERT INTO wallet_turnover (account_id, at, sequence, staked, lost)
SELECT posting.account_id, max(entry.recorded_at) OVER so_far, posting.sequence,
       -coalesce(sum(posting.amount) FILTER (WHERE entry.kind = 'wager') OVER so_far, 0),
       -sum(posting.amount) OVER so_far
  FROM wallet_posting posting
  JOIN wallet_entry entry ON entry.id = posting.entry_id AND entry.kind IN ('wager', 'settlement', 'void')
  JOIN wallet_account account ON account.id = posting.account_id
       AND account.kind IN ('game', 'account', 'debt') AND account.book = 'real'
WINDOW so_far AS (PARTITION BY posting.account_id ORDER BY posting.sequence);
