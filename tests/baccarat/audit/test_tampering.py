"""Tampering by the database's owner, with triggers disabled: the audit reports what was changed."""

# ruff: noqa: S608  (SQL made of constants)

import json
from datetime import timedelta
from uuid import UUID

import pytest

from baccarat.audit import engine
from baccarat.audit.report import load_head, save_head
from baccarat.domain.rounds.events import WagerConfirmed
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.tables.events import SeatLeft, SeatReleased, SeatReleaseReason, ShoeEnded
from baccarat.domain.unit_of_work import ShoeSeed
from baccarat.services import betting, dealing
from baccarat.storage import projections, shoe_seeds
from baccarat.storage.event_registry import CATALOGUE
from casino.checkpoints import signing
from casino.events.sql import execute, fetch
from casino.events.store import Append, NewEvent, append
from casino.kernel.money import MoneyType
from tests.baccarat.audit.playing import METADATA, deal, play, rechain, seal, sit, tamper


def fetch_value(statement, *parameters):
    """Return the only value of the first row."""
    return fetch(statement, parameters)[0][0]


def change_event(database, event, change):
    """Change an event's data to what `change(data)` makes of it, and recompute the chain over it."""
    data = json.loads(fetch_value("SELECT data::text FROM events_event WHERE id = %s", event))
    change(data)
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute("ALTER TABLE events_seal DISABLE TRIGGER USER")
        owner.execute("ALTER TABLE events_chainhead DISABLE TRIGGER USER")
        owner.execute("UPDATE events_event SET data = %s::jsonb WHERE id = %s", [json.dumps(data), event])
    rechain(database)


def event_of(preset, kind):
    """Return id, round and version of the first event of that type at the preset's table."""
    return fetch(
        "SELECT event.id, settled.id, event.version FROM events_event AS event JOIN baccarat_round AS settled "
        "ON event.stream = 'round-' || settled.id "
        "WHERE event.type = %s AND split_part(settled.rules_label, '@', 1) = %s "
        "AND settled.phase = 'settled' ORDER BY event.id LIMIT 1",
        [kind, preset],
    )[0]


def test_an_untouched_database_has_no_findings(played, audit_findings):
    assert audit_findings() == []


def test_an_empty_database_has_no_findings(database):
    assert engine.run_audit().summary_line() == "audit: ok rounds=0 events=0 entries=0 findings=0"


def test_a_changed_byte_breaks_the_chain(played, audit_findings):
    event, round_, version = event_of("mini", "BettingClosed")
    tamper(played, f'UPDATE events_event SET metadata = \'{{"actor": "x"}}\' WHERE id = {event}')
    wheres = [where.partition(", ")[2] for kind, where in audit_findings() if kind == "digest differs"]
    types = ("BettingClosed", "CardsDealt", "RoundSettled")  # of one append, which shares its metadata
    assert wheres == [f"round-{round_} version {version + place}, {kind}" for place, kind in enumerate(types)]


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
def test_a_changed_card_is_not_from_the_committed_shoe(played, audit_findings, preset):
    event, round_, version = event_of(preset, "CardsDealt")

    def swap(data):
        data["cards"][0] = data["cards"][0][0] + {"c": "d", "d": "h", "h": "s", "s": "c"}[data["cards"][0][1]]

    change_event(played, event, swap)
    findings = audit_findings()
    assert ("cards are not the shoe's", f"round {round_}, version {version + 1}") in findings
    assert ("row differs", f"baccarat_round {round_} cards") in findings


def test_a_changed_card_of_a_running_long_shoe_contradicts_the_seed_of_its_round(played, audit_findings):
    event, round_, _ = event_of("big_table", "CardsDealt")
    change_event(played, event, lambda data: data["cards"].__setitem__(0, "9h" if data["cards"][0] != "9h" else "9s"))
    assert any(
        kind == "cards are not the shoe's" and f"round {round_}, version" in where for kind, where in audit_findings()
    )


def test_an_illegal_deal_is_reported(played, audit_findings):
    event, round_, version = event_of("mini", "CardsDealt")
    change_event(played, event, lambda data: data.update(cards=["9h", "2c", "Th", "2d", "3s"]))
    assert ("cards are not a legal deal", f"round {round_}, version {version}") in audit_findings()


def change_settlement(database, preset, field, amount):
    event, round_, version = event_of(preset, "RoundSettled")

    def raise_amount(data):
        data["wagers"][0][field] += amount

    change_event(database, event, raise_amount)
    return event, f"round {round_}, version {version}, seat 1"


def test_a_changed_payout_is_reported_with_the_entry_that_contradicts_it(played, audit_findings):
    event, where = change_settlement(played, "overview", "returned", 100)
    findings = audit_findings()
    assert ("payout differs", where) in findings
    assert ("entry moves something else", f"event {event}") in findings


def test_a_changed_commission_is_reported(played, audit_findings):
    _, where = change_settlement(played, "mini", "commission", 25)
    assert ("commission differs", where) in audit_findings()


def test_a_wager_missing_from_the_settlement_is_reported(played, audit_findings):
    event, round_, version = event_of("atlantic_city", "RoundSettled")
    change_event(played, event, lambda data: data["wagers"].pop())
    assert ("wager not settled", f"round {round_}, version {version}, seat 2") in audit_findings()


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("outcome", lambda old: "tie" if old != "tie" else "player", "outcome differs"),
        ("player_total", lambda old: (old + 1) % 10, "totals differ"),
        ("natural", lambda old: not old, "natural differs"),
    ],
)
def test_a_changed_result_is_reported(played, audit_findings, field, value, what):
    event, round_, version = event_of("classic", "RoundSettled")
    change_event(played, event, lambda data: data.update({field: value(data[field])}))
    assert (what, f"round {round_}, version {version}") in audit_findings()


def test_a_swapped_seed_does_not_open_the_commitment(played, audit_findings):
    event, round_, version = event_of("mini", "RoundSettled")
    change_event(played, event, lambda data: data.update(seed="ab" * 32))
    findings = audit_findings()
    assert ("seed does not open the commitment", f"round {round_}, version {version}") in findings
    assert ("cards are not the shoe's", f"round {round_}, version {version}") in findings


def test_a_place_in_the_shoe_dealt_twice_is_reported(played, audit_findings):
    event, round_, version = event_of("big_table", "CardsDealt")
    change_event(played, event, lambda data: data.update(shoe_position=data["shoe_position"] - 1))
    assert ("place in the shoe differs", f"round {round_}, version {version}") in audit_findings()


def test_a_changed_stake_differs_from_the_placed_chips(played, audit_findings):
    (guest,) = sit("mini").guests
    betting.place(actor=guest, spot="banker", amount=2500, currency="EUR")
    betting.deal(actor=guest, stakes={}, currency=None)
    deal()
    seal()
    ((event, stream, version),) = fetch(
        "SELECT id, stream, version FROM events_event WHERE type = 'WagerConfirmed' ORDER BY id DESC LIMIT 1"
    )
    change_event(played, event, lambda data: data["stakes"].update(banker=3000))
    where = f"{stream.replace('-', ' ', 1)}, version {version}, seat 1"
    assert ("wager differs from the chips", where) in audit_findings()


def test_commission_is_collected_as_owed_and_only_when_the_shoe_ends(played, audit_findings):
    """Append a forged end of the shoe that does not collect one player's commission."""
    table, version = fetch("SELECT id, version FROM baccarat_table WHERE preset = 'big_table'")[0]
    table_state = projections.decode_table(fetch_value("SELECT state::text FROM baccarat_table WHERE id = %s", table))
    ended = ShoeEnded(
        table_state.shoe.shoe, "ab" * 32, table_state.shoe.cards_used, (), fetch_value("SELECT clock_timestamp()")
    )
    append([Append(f"table-{table}", version, (CATALOGUE.encode(ended),), METADATA)])
    kinds = [kind for kind, where in audit_findings() if where == f"table {table}, version {version + 1}"]
    owed = any(seat.owed for seat in table_state.seats)
    assert ("collected commission differs" in kinds) is owed
    assert "shoe ended early" in kinds
    assert "seed does not open the commitment" in kinds


def test_a_player_who_leaves_takes_the_whole_balance(played, audit_findings):
    table, version = fetch("SELECT id, version FROM baccarat_table WHERE preset = 'mini'")[0]
    (seat,) = projections.decode_table(fetch_value("SELECT state::text FROM baccarat_table WHERE id = %s", table)).seats
    left = SeatLeft(seat.seat, seat.player, seat.money_type, 5, 0, fetch_value("SELECT clock_timestamp()"))
    append([Append(f"table-{table}", version, (CATALOGUE.encode(left),), METADATA)])
    assert ("returned balance differs", f"table {table}, version {version + 1}") in audit_findings()


def test_a_seat_freed_early_or_by_a_wrong_count_is_reported(played, audit_findings):
    table, version = fetch("SELECT id, version FROM baccarat_table WHERE preset = 'atlantic_city'")[0]
    seat = projections.decode_table(fetch_value("SELECT state::text FROM baccarat_table WHERE id = %s", table)).seats[0]
    now = fetch_value("SELECT clock_timestamp()")
    freed = SeatReleased(
        seat.seat, seat.player, seat.money_type, 5, 0, SeatReleaseReason.MISSED_ROUNDS, 2, now + timedelta(1), now
    )
    append([Append(f"table-{table}", version, (CATALOGUE.encode(freed),), METADATA)])
    kinds = [kind for kind, where in audit_findings() if where == f"table {table}, version {version + 1}"]
    assert {"missed turns differ", "seat freed early", "times out of order", "returned balance differs"} <= set(kinds)


def test_a_row_with_another_seat_is_reported(played, audit_findings):
    sitting = fetch_value("SELECT id FROM baccarat_sitting ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE baccarat_sitting SET seat = 14 WHERE id = '{sitting}'")
    assert audit_findings() == [("row differs", f"baccarat_sitting {sitting} seat")]


def test_a_changed_balance_is_reported(played, audit_findings):
    account = fetch_value("SELECT account_id FROM wallet_balance WHERE balance > 0 ORDER BY 1 LIMIT 1")
    tamper(played, f"UPDATE wallet_balance SET balance = balance + 1 WHERE account_id = '{account}'")
    assert audit_findings() == [("balance is not the sum of its postings", f"account {account}")]


def test_a_removed_posting_is_reported(played, audit_findings):
    entry, account = fetch(
        "SELECT entry_id, account_id FROM wallet_posting JOIN wallet_entry ON cause = entry_id "
        "WHERE kind = 'settlement' ORDER BY 1, 2 LIMIT 1"
    )[0]
    tamper(played, f"DELETE FROM wallet_posting WHERE entry_id = {entry} AND account_id = '{account}'")
    findings = audit_findings()
    assert ("entry moves something else", f"event {entry}") in findings
    assert ("entry does not sum to zero", f"entry {entry}") in findings
    assert ("balance is not the sum of its postings", f"account {account}") in findings


def test_a_balanced_entry_of_another_amount_is_reported(played, audit_findings):
    entry = fetch_value("SELECT cause FROM wallet_entry WHERE kind = 'wager' ORDER BY 1 LIMIT 1")
    tamper(played, f"UPDATE wallet_posting SET amount = amount + sign(amount) * 500 WHERE entry_id = {entry}")
    assert ("entry moves something else", f"event {entry}") in audit_findings()


def test_a_missing_entry_and_one_without_cause_are_reported(played, audit_findings):
    entry = fetch_value("SELECT cause FROM wallet_entry WHERE kind = 'buy_in' ORDER BY 1 LIMIT 1")
    other = fetch_value("SELECT id FROM events_event WHERE type = 'BettingClosed' ORDER BY id LIMIT 1")
    tamper(
        played,
        f"INSERT INTO wallet_entry SELECT {other}, recorded_at, kind FROM wallet_entry WHERE cause = {entry}",
        f"UPDATE wallet_posting SET entry_id = {other} WHERE entry_id = {entry}",
        f"DELETE FROM wallet_entry WHERE cause = {entry}",
    )
    findings = audit_findings()
    assert ("entry is missing", f"event {entry}") in findings
    assert ("entry that no event leads to", f"event {other}") in findings


def test_a_changed_wager_row_is_reported_with_its_column(played, audit_findings):
    key = fetch_value("SELECT id FROM baccarat_wager ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE baccarat_wager SET won = won + 1 WHERE id = '{key}'")
    assert audit_findings() == [("row differs", f"baccarat_wager {key} won")]


def test_a_changed_state_is_reported(played, audit_findings):
    key = fetch_value("SELECT id FROM baccarat_table ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE baccarat_table SET state = jsonb_set(state::jsonb, '{{rounds}}', '77') WHERE id = '{key}'")
    assert audit_findings() == [("row differs", f"baccarat_table {key} state")]


def test_a_missing_round_row_is_reported(played, audit_findings):
    key = fetch_value("SELECT id FROM baccarat_round WHERE phase = 'settled' ORDER BY id LIMIT 1")
    tamper(played, f"DELETE FROM baccarat_round WHERE id = '{key}'")
    assert audit_findings() == [("row is missing", f"baccarat_round {key}")]


@pytest.mark.parametrize("table", ["baccarat_table", "baccarat_round", "baccarat_wager"])
def test_an_extra_row_is_reported(played, audit_findings, table):
    extra = "01900000-0000-7000-8000-000000000000"
    change = {"baccarat_wager": f"id = '{extra}', round_id = '{extra}'"}.get(table, f"id = '{extra}'")
    number = ", number = 9999" if table == "baccarat_round" else ""
    tamper(
        played,
        f"CREATE TEMP TABLE copied AS SELECT * FROM {table} LIMIT 1",
        f"UPDATE copied SET {change}{number}",
        f"INSERT INTO {table} SELECT * FROM copied",
    )
    ((kind, where),) = audit_findings()
    assert kind == "row is extra"
    assert where.startswith(f"{table} {extra}")


def test_a_removed_event_is_reported(played, audit_findings):
    event, round_, version = event_of("mini", "BettingClosed")
    position = fetch_value("SELECT position FROM events_seal WHERE event_id = %s", event)
    tamper(played, f"DELETE FROM events_event WHERE id = {event}")
    findings = audit_findings()
    assert ("event missing", f"position {position}") in findings
    assert ("card dealt before betting closed", f"round {round_}, version {version + 1}") in findings


def test_a_log_cut_short_contradicts_the_saved_head(played, audit_findings, tmp_path):
    report = engine.run_audit(max_wait=3600)
    file = tmp_path / "heads" / "head.json"
    save_head(file, position=report.head[0], digest=report.head[1])
    first = fetch_value("SELECT min(event_id) FROM events_seal WHERE position > %s", report.head[0] - 3)
    tamper(
        played,
        f"DELETE FROM wallet_posting WHERE entry_id IN (SELECT cause FROM wallet_entry WHERE cause >= {first})",
        f"DELETE FROM events_seal WHERE event_id >= {first}",
        f"DELETE FROM events_chainhead WHERE position > {report.head[0] - 3}",
    )
    findings = audit_findings(expected=load_head(file))
    assert findings[0] == ("tail cut", f"position {report.head[0]}")


def append_wager(seated, stream, version, confirmed_at):
    wager = wager_id(UUID(stream.removeprefix("round-")), 1)
    event = WagerConfirmed(wager, 1, seated.guests[0].player, MoneyType.PLAY, {"tie": 500}, confirmed_at)
    append([Append(stream, version, (CATALOGUE.encode(event),), METADATA)])


def test_a_wager_after_the_deadline_is_reported(database, audit_findings):
    seated = sit("atlantic_city")
    round_, version, deadline = fetch(
        "SELECT round_id, round_version, running.deadline_at FROM baccarat_table "
        "JOIN baccarat_round AS running ON running.id = round_id"
    )[0]
    append_wager(seated, f"round-{round_}", version, deadline)
    assert ("wager confirmed late", f"round {round_}, version {version + 1}, seat 1") in audit_findings()


def test_a_wager_after_the_settlement_is_reported(database, audit_findings):
    seated = sit("mini")
    seated.bet(banker=2500)
    deal()
    round_, version, ended = fetch(
        "SELECT id, (SELECT max(version) FROM events_event WHERE stream = 'round-' || ended.id), ended_at "
        "FROM baccarat_round AS ended"
    )[0]
    append_wager(seated, f"round-{round_}", version, ended)
    where = f"round-{round_} version {version + 1}, WagerConfirmed"
    assert any(kind == "event out of place" and where in location for kind, location in audit_findings())


def test_an_unreadable_event_is_reported(played, audit_findings):
    append([Append("table-elsewhere", 0, (NewEvent("SeatTaken", 1, b'{"seat":"one"}'),), METADATA)])
    append([Append("table-nowhere", 0, (NewEvent("TableSold", 1, b"{}"),), METADATA)])
    findings = audit_findings()
    assert [kind for kind, _ in findings] == ["event can't be read"] * 2
    assert "table-elsewhere version 1" in findings[0][1]


def test_waiting_rounds_and_events_are_reported_by_their_age(database, audit_findings):
    seated = sit("mini")
    seated.bet(banker=2500)
    assert audit_findings() == []
    findings = audit_findings(oldest=0)
    (round_, table) = fetch("SELECT id, table_id FROM baccarat_round")[0]
    assert ("round overdue", f"round {round_} of table {table}") in findings
    assert "unsealed too long" in [kind for kind, _ in findings]


def test_a_suspended_round_and_its_lost_secret_are_reported(database, audit_findings):
    seated = sit("mini")
    seated.bet(banker=2500)
    execute("DELETE FROM baccarat_shoesecret")
    dealing.deal_due()
    (round_, table, state) = fetch("SELECT round_id, id, round_state->'opened'->>'shoe' FROM baccarat_table")[0]
    findings = audit_findings(oldest=0)
    assert ("round suspended", f"round {round_} of table {table}") in findings
    assert ("secret missing", f"shoe {state} of table {table}") in findings


def test_a_swapped_secret_is_reported_before_it_is_used(database, audit_findings):
    seated = sit("mini")
    betting.place(actor=seated.guests[0], spot="tie", amount=500, currency="EUR")
    (shoe,) = fetch("SELECT shoe_id FROM baccarat_shoesecret")[0]
    shoe_seeds.delete([shoe])
    shoe_seeds.store([ShoeSeed(shoe, bytes(32))])
    assert audit_findings() == [("seed does not open the commitment", f"shoe {shoe} of table {seated.table}")]


def test_a_secret_left_after_its_shoe_is_reported(played, audit_findings):
    shoe = fetch_value("SELECT (data->>'shoe')::uuid FROM events_event WHERE type = 'RoundOpened' ORDER BY id LIMIT 1")
    shoe_seeds.store([ShoeSeed(shoe, bytes(32))])
    assert ("secret of a shoe not in play", f"shoe {shoe}") in audit_findings()


def test_a_secret_that_does_not_decrypt_does_not_hide_others(database, audit_findings):
    for seated in (sit("mini"), sit("mini"), sit("mini")):
        betting.place(actor=seated.guests[0], spot="tie", amount=500, currency="EUR")
    shoe = fetch_value("SELECT shoe_id FROM baccarat_shoesecret ORDER BY 1 LIMIT 1")
    execute("UPDATE baccarat_shoesecret SET nonce = ciphertext WHERE shoe_id = %s", [shoe])
    ((kind, where),) = audit_findings()
    assert kind == "secret can't be read"
    assert str(shoe) in where


def test_an_audit_since_a_checkpoint_checks_only_later_events(played, audit_findings, settings, tmp_path):
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    checkpoint = signing.sign_now()
    play(sit("classic"), 1, tie=500)
    seal()
    assert audit_findings(checkpoint=checkpoint) == []
    event = fetch_value("SELECT event_id FROM events_seal WHERE position = %s", checkpoint.size + 1)
    old = fetch_value("SELECT min(event_id) FROM events_seal")
    for each in (event, old):
        tamper(played, f"UPDATE events_event SET recorded_at = recorded_at + interval '1 s' WHERE id = {each}")
    ((kind, where),) = audit_findings(checkpoint=checkpoint)
    assert (kind, where.split(",")[0]) == ("digest differs", f"position {checkpoint.size + 1}")
    assert [kind for kind, _ in audit_findings()] == ["digest differs"] * 2
