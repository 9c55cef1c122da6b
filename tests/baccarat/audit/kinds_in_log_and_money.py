"""Kinds of tampering with the log, money, read models and checkpoints, the chain left as it is."""

# ruff: noqa: S608  (SQL made of constants)

import uuid

from tests.baccarat.audit.attacker import WITH_ORIGINAL_CHAIN, kind

# -- the log, its chain left as it is ------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_byte_of_an_events_data_changed(attacker):
    event, stream, version, _ = attacker.event("overview", 1, "BettingClosed")
    attacker.do(
        'UPDATE events_event SET data = data::jsonb || \'{"closed_at": "2026-01-01T00:00:00Z"}\' WHERE id = %s', event
    )
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def the_actor_of_an_event_changed(attacker):
    event, stream, version, _ = attacker.event("overview", 2, "BettingClosed")
    attacker.do('UPDATE events_event SET metadata = metadata::jsonb || \'{"actor": "x"}\' WHERE id = %s', event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def the_time_of_an_event_moved_by_a_microsecond(attacker):
    event, stream, version, _ = attacker.event("mini", 1, "BettingClosed")
    attacker.do("UPDATE events_event SET recorded_at = recorded_at + interval '1 microsecond' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_with_another_type(attacker):
    event, stream, version, _ = attacker.event("mini", 2, "BettingClosed")
    attacker.do("UPDATE events_event SET type = 'RoundLapsed' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_of_another_transaction(attacker):
    event, stream, version, _ = attacker.event("classic", 2, "CardsDealt")
    return ("digest differs", f"{stream} version {version}"), ("transaction torn", attacker.move(event))


@kind(WITH_ORIGINAL_CHAIN)
def an_event_removed(attacker):
    event, _, _, position = attacker.event("classic", 1, "BettingClosed")
    attacker.do("DELETE FROM events_event WHERE id = %s", event)
    return "event missing", f"position {position}"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_inserted_without_a_seal(attacker):
    return "never sealed", f"event {attacker.insert_event('table-slipped-in')},"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_inserted_with_a_forged_seal(attacker):
    event = attacker.insert_event("table-sealed-by-hand")
    attacker.do("INSERT INTO events_seal SELECT max(position) + 1, %s, sha256('made up') FROM events_seal", event)
    return "digest differs", "table-sealed-by-hand version 1"


@kind(WITH_ORIGINAL_CHAIN)
def two_events_in_swapped_order(attacker):
    second, stream, version, later = attacker.event("atlantic_city", 1, "CardsDealt")
    first, earlier = attacker.row(
        "SELECT id, position FROM events_event JOIN events_seal ON event_id = id WHERE stream = %s AND version = %s",
        stream, version - 1,
    )  # fmt: skip
    attacker.do("UPDATE events_seal SET event_id = -1 WHERE position = %s", earlier)
    attacker.do("UPDATE events_seal SET event_id = %s WHERE position = %s", first, later)
    attacker.do("UPDATE events_seal SET event_id = %s WHERE position = %s", second, earlier)
    return "order differs", f"position {earlier}, {stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def a_seal_removed(attacker):
    event, stream, _, position = attacker.event("big_table", 2, "BettingClosed")
    attacker.do("DELETE FROM events_seal WHERE event_id = %s", event)
    return ("position missing", f"position {position}"), ("never sealed", f"event {event}, {stream}")


@kind(WITH_ORIGINAL_CHAIN)
def a_seal_pointed_at_another_event(attacker):
    event, stream, _, position = attacker.event("atlantic_city", 2, "BettingClosed")
    attacker.do(
        "UPDATE events_seal SET event_id = %s WHERE position = %s",
        attacker.insert_event("table-in-its-place"),
        position,
    )
    return ("digest differs", "table-in-its-place"), ("never sealed", f"event {event}, {stream}")


@kind(WITH_ORIGINAL_CHAIN)
def a_rewritten_head_of_the_chain(attacker):
    attacker.do("UPDATE events_chainhead SET digest = sha256(digest)")
    return "chain rewritten", f"position {attacker.row('SELECT max(position) FROM events_chainhead')[0]}"


@kind(WITH_ORIGINAL_CHAIN)
def a_sealed_event_queued_again(attacker):
    event, *_ = attacker.event("classic", 2, "BettingClosed")
    attacker.do("INSERT INTO events_unsealed VALUES (%s, 0)", event)
    return "sealed and queued", f"event {event}"


@kind(WITH_ORIGINAL_CHAIN)
def a_subscriber_set_beyond_the_log(attacker):
    attacker.do("INSERT INTO events_subscription VALUES ('ahead', 1000000)")
    return "tail cut", "subscription ahead"


# -- money ---------------------------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_balance_edited(attacker):
    (account,) = attacker.row("SELECT account_id FROM wallet_balance WHERE balance > 0 ORDER BY 1 LIMIT 1")
    attacker.do("UPDATE wallet_balance SET balance = balance + 100 WHERE account_id = %s", account)
    return "balance is not the sum of its postings", f"account {account}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_deleted(attacker):
    entry = attacker.entry("buy_in", 0)
    attacker.do("DELETE FROM wallet_entry WHERE cause = %s", entry)
    return "entry is missing", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_that_names_another_operator(attacker):
    entry = attacker.entry("buy_in", 2)
    attacker.do("UPDATE wallet_entry SET operator_id = gen_random_uuid() WHERE cause = %s", entry)
    return "entry of another operator", f"entry {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_posting_with_the_opposite_sign(attacker):
    entry = attacker.entry("buy_in", 1)
    attacker.do("UPDATE wallet_posting SET amount = -amount WHERE amount > 0 AND entry_id = %s", entry)
    return "entry does not sum to zero", f"entry {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_posting_deleted(attacker):
    entry = attacker.entry("buy_in", 2)
    attacker.do("DELETE FROM wallet_posting WHERE amount > 0 AND entry_id = %s", entry)
    return "entry moves something else", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_balanced_entry_with_a_higher_credit(attacker):
    entry = attacker.entry("wager", 0)
    attacker.do("UPDATE wallet_posting SET amount = amount * 2 WHERE entry_id = %s", entry)
    return "entry moves something else", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_without_its_event(attacker):
    event, *_ = attacker.event("overview", 1, "ChipsPlaced") or attacker.event("overview", 1, "RoundOpened")
    attacker.do("INSERT INTO wallet_entry (kind, cause) VALUES ('sandbox_credit', %s)", event)
    return "entry that no event leads to", f"event {event}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_moved_to_another_day(attacker):
    entry = attacker.entry("buy_in", 1)
    attacker.do("UPDATE wallet_entry SET recorded_at = recorded_at - interval '1 day' WHERE cause = %s", entry)
    return "entry of another time than its event", f"entry {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_of_another_kind(attacker):
    entry = attacker.entry("buy_in", 3)
    attacker.do("UPDATE wallet_entry SET kind = 'sandbox_credit' WHERE cause = %s", entry)
    return "entry is of another kind", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_running_balance_of_a_statement_changed(attacker):
    posting = attacker.last_posting(0)
    attacker.do("UPDATE wallet_posting SET balance = balance + 100 WHERE (account_id, sequence) = (%s, %s)", *posting)
    return "running balance is wrong", "account {} posting {}".format(*posting)


@kind(WITH_ORIGINAL_CHAIN)
def a_statement_line_with_another_number(attacker):
    account, last = attacker.last_posting(1)
    which = "(account_id, sequence) = (%s, %s)"
    attacker.do(f"UPDATE wallet_posting SET sequence = sequence + 7 WHERE {which}", account, last)
    return "posting out of sequence", f"account {account} posting {last + 7}"


@kind(WITH_ORIGINAL_CHAIN)
def an_account_given_to_another_player(attacker):
    (account,) = attacker.row("SELECT id FROM wallet_account WHERE kind = 'account' ORDER BY id LIMIT 1")
    attacker.do("UPDATE wallet_account SET player_id = gen_random_uuid() WHERE id = %s", account)
    return "account id is not that of its name", f"account {account}"


@kind(WITH_ORIGINAL_CHAIN)
def a_deposit_made_larger(attacker):
    (deposit,) = attacker.row("SELECT id FROM wallet_deposit")
    attacker.do("UPDATE wallet_deposit SET amount = amount * 10")
    return "row differs", f"wallet_deposit {deposit} amount"


@kind(WITH_ORIGINAL_CHAIN)
def a_withdrawal_shown_as_paid(attacker):
    (withdrawal,) = attacker.row("SELECT id FROM wallet_withdrawal")
    attacker.do("UPDATE wallet_withdrawal SET status = 'paid'")
    return "row differs", f"wallet_withdrawal {withdrawal} status"


# -- read models and secrets ---------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def cards_swapped_in_the_row_of_a_round(attacker):
    round_ = attacker.round("overview", 1)
    attacker.do("UPDATE baccarat_round SET cards = 'As Ah Ad Ac' WHERE id = %s", round_)
    return "row differs", f"baccarat_round {round_} cards"


@kind(WITH_ORIGINAL_CHAIN)
def a_round_with_an_infinite_end(attacker):
    round_ = attacker.round("mini", 2)
    attacker.do("UPDATE baccarat_round SET ended_at = 'infinity' WHERE id = %s", round_)
    return "row differs", f"baccarat_round {round_} ended_at"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_with_an_infinite_time(attacker):
    event, stream, version, _ = attacker.event("overview", 2, "CardsDealt")
    attacker.do("UPDATE events_event SET recorded_at = '-infinity' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def a_deleted_row_of_a_round(attacker):
    round_ = attacker.round("mini", 1)
    attacker.do("DELETE FROM baccarat_round WHERE id = %s", round_)
    return "row is missing", f"baccarat_round {round_}"


@kind(WITH_ORIGINAL_CHAIN)
def a_win_raised_in_the_row_of_a_wager(attacker):
    (wager,) = attacker.row("SELECT id FROM baccarat_wager WHERE round_id = %s", attacker.round("overview", 2))
    attacker.do("UPDATE baccarat_wager SET won = won + 100 WHERE id = %s", wager)
    return "row differs", f"baccarat_wager {wager} won"


@kind(WITH_ORIGINAL_CHAIN)
def an_invented_wager(attacker):
    (wager,) = attacker.row("SELECT id FROM baccarat_wager WHERE round_id = %s", attacker.round("classic", 2))
    made_up = uuid.UUID(int=wager.int + 100)
    columns = [name for (name,) in attacker.connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'baccarat_wager'::regclass AND attnum > 0 "
        "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
    ).fetchall()]  # fmt: skip
    values = ", ".join("%s" if name == "id" else name for name in columns)
    attacker.do(
        f"INSERT INTO baccarat_wager ({', '.join(columns)}) SELECT {values} FROM baccarat_wager WHERE id = %s",
        made_up, wager,
    )  # fmt: skip
    return "row is extra", f"baccarat_wager {made_up}"


@kind(WITH_ORIGINAL_CHAIN)
def a_tables_state_edited(attacker):
    (table,) = attacker.row("SELECT id FROM baccarat_table WHERE preset = 'classic'")
    attacker.do("UPDATE baccarat_table SET state = jsonb_set(state::jsonb, '{rounds}', '77') WHERE id = %s", table)
    return "row differs", f"baccarat_table {table} state"


@kind(WITH_ORIGINAL_CHAIN)
def a_player_seated_elsewhere(attacker):
    (sitting,) = attacker.row("SELECT id FROM baccarat_sitting ORDER BY id LIMIT 1")
    attacker.do("UPDATE baccarat_sitting SET seat = 14 WHERE id = %s", sitting)
    return "row differs", f"baccarat_sitting {sitting} seat"


@kind(WITH_ORIGINAL_CHAIN)
def a_secret_of_a_shoe_in_play_swapped(attacker):
    (shoe,) = attacker.row("SELECT shoe_id FROM baccarat_shoesecret ORDER BY 1 LIMIT 1")
    attacker.do("UPDATE baccarat_shoesecret SET nonce = substring(sha256(nonce) FOR 12) WHERE shoe_id = %s", shoe)
    return "secret can't be read", str(shoe)


# -- what lists of staff show -------------------------------------------------------------------------------------


def shown_to_staff(attacker, column, value):
    (player,) = attacker.row("SELECT player_id FROM wallet_playerrestrictions WHERE excluded_until IS NOT NULL")
    attacker.do(f"UPDATE wallet_playerrestrictions SET {column} = {value} WHERE player_id = %s", player)
    return "row differs", f"wallet_playerrestrictions {player} {column}"


@kind(WITH_ORIGINAL_CHAIN)
def an_exclusion_shown_as_ended(attacker):
    return shown_to_staff(attacker, "excluded_until", "now() - interval '1 day'")


@kind(WITH_ORIGINAL_CHAIN)
def a_cooling_off_shown_as_a_self_exclusion(attacker):
    return shown_to_staff(attacker, "self_excluded", "true")


@kind(WITH_ORIGINAL_CHAIN)
def a_block_not_shown(attacker):
    return shown_to_staff(attacker, "blocked", "false")


@kind(WITH_ORIGINAL_CHAIN)
def limits_not_shown(attacker):
    return shown_to_staff(attacker, "limit_types", "'{}'")


# -- changes that several persons agree on -------------------------------------------------------------------------


def a_change(attacker, place):
    """Return the id of the place-th change of the history."""
    return attacker.row("SELECT id FROM operators_change ORDER BY id OFFSET %s LIMIT 1", place)[0]


@kind(WITH_ORIGINAL_CHAIN)
def a_change_decided_by_somebody_else(attacker):
    change = a_change(attacker, 0)
    attacker.do("UPDATE operators_change SET decided_by = 'mine' WHERE id = %s", change)
    return "row differs", f"operators_change {change} decided_by"


@kind(WITH_ORIGINAL_CHAIN)
def a_change_with_other_details(attacker):
    change = a_change(attacker, 0)
    attacker.do("UPDATE operators_change SET details = '{\"amount\": 1}' WHERE id = %s", change)
    return "row differs", f"operators_change {change} details"


@kind(WITH_ORIGINAL_CHAIN)
def a_decided_change_removed(attacker):
    change = a_change(attacker, 1)
    attacker.do("DELETE FROM operators_change WHERE id = %s", change)
    return "row is missing", f"operators_change {change}"


# -- checkpoints ---------------------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_checkpoint_forged(attacker):
    attacker.do("UPDATE checkpoints_checkpoint SET root = sha256('mine'), "
                "note = replace(note, encode(root, 'base64'), encode(sha256('mine'), 'base64'))")  # fmt: skip
    return ("checkpoint is forged", "checkpoint "), ("replica differs", "copy 1")
