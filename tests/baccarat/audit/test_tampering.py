"""Tampering by the owner, with triggers off and where it helps the chain recomputed: each kind is found and named."""

# ruff: noqa: S608  (SQL made of this page's constants)

import json
from datetime import timedelta

import pytest

from baccarat.audit import engine, last_head
from baccarat.domain.rounds.events import WagerConfirmed
from baccarat.domain.rules.wagers import Spot
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


def one(statement, *parameters):
    """The only value of the first row."""
    return fetch(statement, parameters)[0][0]


def change_event(database, event, change):
    """Change an event's data to what `change(data)` makes of it, and recompute the chain over it."""
    data = json.loads(one("SELECT data::text FROM events_event WHERE id = %s", event))
    change(data)
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute("ALTER TABLE events_seal DISABLE TRIGGER USER")
        owner.execute("ALTER TABLE events_chainhead DISABLE TRIGGER USER")
        owner.execute("UPDATE events_event SET data = %s::jsonb WHERE id = %s", [json.dumps(data), event])
    rechain(database)


def event_of(preset, kind):
    """Id, round and version of the first event of that type at the preset's table."""
    return fetch(
        "SELECT event.id, kept.id, event.version FROM events_event AS event JOIN baccarat_round AS kept "
        "ON event.stream = 'round-' || kept.id WHERE event.type = %s AND split_part(kept.rules, '@', 1) = %s "
        "AND kept.phase = 'settled' ORDER BY event.id LIMIT 1",
        [kind, preset],
    )[0]


def test_a_house_that_nobody_touched_has_no_findings(played, found):
    assert found() == []


def test_an_empty_house_has_no_findings(database):
    assert engine.run_audit().summary_line() == "audit: ok rounds=0 events=0 entries=0 findings=0"


def test_a_changed_byte_breaks_the_chain(played, found):
    event, round_, version = event_of("mini", "BettingClosed")
    tamper(played, f'UPDATE events_event SET metadata = metadata || \'{{"actor": "x"}}\' WHERE id = {event}')
    ((what, where),) = found()
    assert what == "digest differs"
    assert f"round-{round_} version {version}, BettingClosed" in where


@pytest.mark.parametrize("preset", ["mini", "atlantic_city"])
def test_a_changed_card_is_not_the_committed_shoes(played, found, preset):
    event, round_, version = event_of(preset, "CardsDealt")

    def swap(data):
        data["cards"][0] = data["cards"][0][0] + {"c": "d", "d": "h", "h": "s", "s": "c"}[data["cards"][0][1]]

    change_event(played, event, swap)
    findings = found()
    assert ("cards are not the shoe's", f"round {round_}, version {version + 1}") in findings
    assert ("row differs", f"baccarat_round {round_} cards") in findings


def test_a_changed_card_of_a_long_shoe_in_play_is_not_its_secrets(played, found):
    event, round_, _ = event_of("big_table", "CardsDealt")
    change_event(played, event, lambda data: data["cards"].__setitem__(0, "9h" if data["cards"][0] != "9h" else "9s"))
    assert any(what == "cards are not the shoe's" and f"round {round_}, places" in where for what, where in found())


def test_cards_that_the_rules_would_not_deal_are_named(played, found):
    event, round_, version = event_of("mini", "CardsDealt")
    change_event(played, event, lambda data: data.update(cards=["9h", "2c", "Th", "2d", "3s"]))
    assert ("cards are not a legal deal", f"round {round_}, version {version}") in found()


def settle_otherwise(database, preset, field, amount):
    event, round_, version = event_of(preset, "RoundSettled")

    def raise_it(data):
        data["wagers"][0][field] += amount

    change_event(database, event, raise_it)
    return event, f"round {round_}, version {version}, seat 1"


def test_a_changed_payout_is_named_and_so_is_the_entry_that_does_not_follow(played, found):
    event, where = settle_otherwise(played, "overview", "returned", 100)
    findings = found()
    assert ("payout differs", where) in findings
    assert ("entry moves something else", f"event {event}") in findings


def test_a_changed_commission_is_named(played, found):
    _, where = settle_otherwise(played, "mini", "commission", 25)
    assert ("commission differs", where) in found()


def test_a_wager_left_out_of_the_settlement_is_named(played, found):
    event, round_, version = event_of("atlantic_city", "RoundSettled")
    change_event(played, event, lambda data: data["wagers"].pop())
    assert ("wager not settled", f"round {round_}, version {version}, seat 2") in found()


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("outcome", lambda old: "tie" if old != "tie" else "player", "outcome differs"),
        ("player_total", lambda old: (old + 1) % 10, "totals differ"),
        ("natural", lambda old: not old, "natural differs"),
    ],
)
def test_a_changed_result_is_named(played, found, field, value, what):
    event, round_, version = event_of("classic", "RoundSettled")
    change_event(played, event, lambda data: data.update({field: value(data[field])}))
    assert (what, f"round {round_}, version {version}") in found()


def test_a_swapped_seed_does_not_open_the_commitment(played, found):
    event, round_, version = event_of("mini", "RoundSettled")
    change_event(played, event, lambda data: data.update(seed="ab" * 32))
    findings = found()
    assert ("seed does not open the commitment", f"round {round_}, version {version}") in findings
    assert ("cards are not the shoe's", f"round {round_}, version {version}") in findings


def test_a_place_in_the_shoe_dealt_twice_is_named(played, found):
    event, round_, version = event_of("big_table", "CardsDealt")
    change_event(played, event, lambda data: data.update(position=data["position"] - 1))
    assert ("place in the shoe differs", f"round {round_}, version {version}") in found()


def test_a_changed_stake_is_not_what_was_placed(played, found):
    event, round_, version = event_of("mini", "WagerConfirmed")
    change_event(played, event, lambda data: data["stakes"].update(banker=3000))
    assert ("wager differs from the chips", f"round {round_}, version {version}, seat 1") in found()


def test_commission_must_be_collected_as_owed_and_only_when_the_shoe_is_over(played, found):
    """The table's stream goes on with a forged end of the shoe, which keeps one player's commission back."""
    table, version = fetch("SELECT id, version FROM baccarat_table WHERE preset = 'big_table'")[0]
    table_state = projections.decode_table(one("SELECT state::text FROM baccarat_table WHERE id = %s", table))
    ended = ShoeEnded(
        table_state.shoe.shoe, "ab" * 32, table_state.shoe.cards_used, (), one("SELECT clock_timestamp()")
    )
    append([Append(f"table-{table}", version, (CATALOGUE.encode(ended),), METADATA)])
    whats = [what for what, where in found() if where == f"table {table}, version {version + 1}"]
    owed = any(seat.owed for seat in table_state.seats)
    assert ("collected commission differs" in whats) is owed
    assert "shoe ended early" in whats
    assert "seed does not open the commitment" in whats


def test_a_player_who_leaves_takes_the_whole_balance(played, found):
    table, version = fetch("SELECT id, version FROM baccarat_table WHERE preset = 'mini'")[0]
    (seat,) = projections.decode_table(one("SELECT state::text FROM baccarat_table WHERE id = %s", table)).seats
    left = SeatLeft(seat.seat, seat.player, seat.money_type, 5, 0, one("SELECT clock_timestamp()"))
    append([Append(f"table-{table}", version, (CATALOGUE.encode(left),), METADATA)])
    assert ("returned balance differs", f"table {table}, version {version + 1}") in found()


def test_a_seat_is_not_freed_early_nor_by_a_wrong_count(played, found):
    table, version = fetch("SELECT id, version FROM baccarat_table WHERE preset = 'atlantic_city'")[0]
    seat = projections.decode_table(one("SELECT state::text FROM baccarat_table WHERE id = %s", table)).seats[0]
    now = one("SELECT clock_timestamp()")
    freed = SeatReleased(
        seat.seat, seat.player, seat.money_type, 5, 0, SeatReleaseReason.MISSED_ROUNDS, 2, now + timedelta(1), now
    )
    append([Append(f"table-{table}", version, (CATALOGUE.encode(freed),), METADATA)])
    whats = [what for what, where in found() if where == f"table {table}, version {version + 1}"]
    assert {"missed turns differ", "seat freed early", "times out of order", "returned balance differs"} <= set(whats)


def test_a_row_that_seats_somebody_elsewhere_is_named(played, found):
    sitting = one("SELECT id FROM baccarat_sitting ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE baccarat_sitting SET seat = 14 WHERE id = '{sitting}'")
    assert found() == [("row differs", f"baccarat_sitting {sitting} seat")]


def test_a_changed_balance_is_named(played, found):
    account = one("SELECT account_id FROM wallet_balance WHERE balance > 0 ORDER BY 1 LIMIT 1")
    tamper(played, f"UPDATE wallet_balance SET balance = balance + 1 WHERE account_id = '{account}'")
    assert found() == [("balance is not the sum of its postings", f"account {account}")]


def test_a_removed_posting_is_named(played, found):
    posting, entry, cause, account = fetch(
        "SELECT posting.id, entry.id, cause, account_id FROM wallet_posting AS posting "
        "JOIN wallet_entry AS entry ON entry.id = entry_id WHERE kind = 'settlement' ORDER BY posting.id LIMIT 1"
    )[0]
    tamper(played, f"DELETE FROM wallet_posting WHERE id = {posting}")
    findings = found()
    assert ("entry moves something else", f"event {cause}") in findings
    assert ("entry does not sum to zero", f"entry {entry}") in findings
    assert ("balance is not the sum of its postings", f"account {account}") in findings


def test_an_entry_for_another_amount_is_named_though_it_balances(played, found):
    entry, cause = fetch("SELECT id, cause FROM wallet_entry WHERE kind = 'wager' ORDER BY id LIMIT 1")[0]
    tamper(played, f"UPDATE wallet_posting SET amount = amount + sign(amount) * 500 WHERE entry_id = {entry}")
    assert ("entry moves something else", f"event {cause}") in found()


def test_an_entry_removed_or_without_reason_is_named(played, found):
    entry, cause = fetch("SELECT id, cause FROM wallet_entry WHERE kind = 'buy_in' ORDER BY id LIMIT 1")[0]
    other = one("SELECT id FROM events_event WHERE type = 'BettingClosed' ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE wallet_entry SET cause = {other} WHERE id = {entry}")
    findings = found()
    assert ("entry is missing", f"event {cause}") in findings
    assert ("entry that no event leads to", f"event {other}") in findings


def test_a_changed_wager_row_is_named_with_its_column(played, found):
    key = one("SELECT id FROM baccarat_wager ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE baccarat_wager SET won = won + 1 WHERE id = '{key}'")
    assert found() == [("row differs", f"baccarat_wager {key} won")]


def test_a_changed_state_is_named(played, found):
    key = one("SELECT id FROM baccarat_table ORDER BY id LIMIT 1")
    tamper(played, f"UPDATE baccarat_table SET state = jsonb_set(state, '{{rounds}}', '77') WHERE id = '{key}'")
    assert found() == [("row differs", f"baccarat_table {key} state")]


def test_a_missing_round_row_is_named(played, found):
    key = one("SELECT id FROM baccarat_round WHERE phase = 'settled' ORDER BY id LIMIT 1")
    tamper(played, f"DELETE FROM baccarat_round WHERE id = '{key}'")
    assert found() == [("row is missing", f"baccarat_round {key}")]


@pytest.mark.parametrize("table", ["baccarat_table", "baccarat_round", "baccarat_wager"])
def test_an_extra_row_is_named(played, found, table):
    extra = "01900000-0000-7000-8000-000000000000"
    change = {"baccarat_wager": f"id = '{extra}/1', round_id = '{extra}'"}.get(table, f"id = '{extra}'")
    number = ", number = 9999" if table == "baccarat_round" else ""
    tamper(
        played,
        f"CREATE TEMP TABLE copied AS SELECT * FROM {table} LIMIT 1",
        f"UPDATE copied SET {change}{number}",
        f"INSERT INTO {table} SELECT * FROM copied",
    )
    ((what, where),) = found()
    assert what == "row is extra"
    assert where.startswith(f"{table} {extra}")


def test_a_removed_event_is_named(played, found):
    event, round_, _ = event_of("mini", "BettingClosed")
    position = one("SELECT position FROM events_seal WHERE event_id = %s", event)
    tamper(played, f"DELETE FROM events_event WHERE id = {event}")
    findings = found()
    assert ("event missing", f"position {position}") in findings
    assert ("card dealt before betting closed", f"round {round_}, version 6") in findings


def test_a_cut_tail_contradicts_the_head_that_was_kept(played, found, tmp_path):
    report = engine.run_audit(max_wait=3600)
    file = tmp_path / "heads" / "head.json"
    last_head.save_head(file, position=report.head[0], digest=report.head[1])
    first = one("SELECT min(event_id) FROM events_seal WHERE position > %s", report.head[0] - 3)
    tamper(
        played,
        f"DELETE FROM wallet_posting WHERE entry_id IN (SELECT id FROM wallet_entry WHERE cause >= {first})",
        f"DELETE FROM events_seal WHERE event_id >= {first}",
        f"DELETE FROM events_chainhead WHERE position > {report.head[0] - 3}",
    )
    findings = found(expected=last_head.load_head(file))
    assert findings[0] == ("tail cut", f"position {report.head[0]}")


def append_wager(seated, stream, version, confirmed_at):
    event = WagerConfirmed(1, seated.guests[0].player, MoneyType.PLAY, {Spot.TIE: 500}, {}, confirmed_at)
    append([Append(stream, version, (CATALOGUE.encode(event),), METADATA)])


def test_a_wager_after_the_deadline_is_named(database, found):
    seated = sit("atlantic_city")
    round_, version, deadline = fetch("SELECT id, version, deadline_at FROM baccarat_round")[0]
    append_wager(seated, f"round-{round_}", version, deadline)
    assert ("wager confirmed late", f"round {round_}, version {version + 1}, seat 1") in found()


def test_a_wager_after_the_settlement_is_named(database, found):
    seated = sit("mini")
    seated.bet(banker=2500)
    deal()
    round_, version, ended = fetch("SELECT id, version, ended_at FROM baccarat_round")[0]
    append_wager(seated, f"round-{round_}", version, ended)
    where = f"round-{round_} version {version + 1}, WagerConfirmed"
    assert any(what == "event out of place" and where in at for what, at in found())


def test_an_event_that_no_code_wrote_is_named(played, found):
    append([Append("table-elsewhere", 0, (NewEvent("SeatTaken", 1, b'{"seat":"one"}'),), METADATA)])
    append([Append("table-nowhere", 0, (NewEvent("TableSold", 1, b"{}"),), METADATA)])
    findings = found()
    assert [what for what, _ in findings] == ["event can't be read"] * 2
    assert "table-elsewhere version 1" in findings[0][1]


def test_what_waits_is_judged_by_its_age(database, found):
    seated = sit("mini")
    seated.bet(banker=2500)
    assert found() == []
    findings = found(oldest=0)
    (round_, table) = fetch("SELECT id, table_id FROM baccarat_round")[0]
    assert ("round overdue", f"round {round_} of table {table}") in findings
    assert "unsealed too long" in [what for what, _ in findings]


def test_a_round_set_aside_and_its_lost_secret_are_named(database, found):
    seated = sit("mini")
    seated.bet(banker=2500)
    execute("DELETE FROM baccarat_shoesecret")
    dealing.deal_due()
    (round_, table, state) = fetch("SELECT id, table_id, state->'opened'->>'shoe' FROM baccarat_round")[0]
    findings = found(oldest=0)
    assert ("round suspended", f"round {round_} of table {table}") in findings
    assert ("secret missing", f"shoe {state} of table {table}") in findings


def test_a_swapped_secret_is_named_before_it_is_used(database, found):
    seated = sit("mini")
    betting.place(actor=seated.guests[0], spot=Spot.TIE, amount=500, currency="EUR")
    (shoe,) = fetch("SELECT shoe_id FROM baccarat_shoesecret")[0]
    shoe_seeds.delete([shoe])
    shoe_seeds.store([ShoeSeed(shoe, bytes(32))])
    assert found() == [("seed does not open the commitment", f"shoe {shoe} of table {seated.table}")]


def test_a_secret_kept_after_its_shoe_is_named(played, found):
    shoe = one("SELECT (state->'opened'->>'shoe')::uuid FROM baccarat_round WHERE phase = 'settled' LIMIT 1")
    shoe_seeds.store([ShoeSeed(shoe, bytes(32))])
    assert ("secret of a shoe not in play", f"shoe {shoe}") in found()


def test_a_secret_that_does_not_decrypt_hides_no_other(database, found):
    for seated in (sit("mini"), sit("mini"), sit("mini")):
        betting.place(actor=seated.guests[0], spot=Spot.TIE, amount=500, currency="EUR")
    shoe = one("SELECT shoe_id FROM baccarat_shoesecret ORDER BY 1 LIMIT 1")
    execute("UPDATE baccarat_shoesecret SET nonce = ciphertext WHERE shoe_id = %s", [shoe])
    ((what, where),) = found()
    assert what == "secret can't be read"
    assert str(shoe) in where


def test_since_a_good_checkpoint_what_came_later_is_checked_and_no_more_is_claimed(played, found, settings, tmp_path):
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    checkpoint = signing.sign_now()
    play(sit("classic"), 1, tie=500)
    seal()
    assert found(checkpoint=checkpoint) == []
    event = one("SELECT event_id FROM events_seal WHERE position = %s", checkpoint.position + 1)
    old = one("SELECT min(event_id) FROM events_seal")
    for each in (event, old):
        tamper(played, f'UPDATE events_event SET metadata = metadata || \'{{"actor": "x"}}\' WHERE id = {each}')
    ((what, where),) = found(checkpoint=checkpoint)
    assert (what, where.split(",")[0]) == ("digest differs", f"position {checkpoint.position + 1}")
    assert [what for what, _ in found()] == ["digest differs"] * 2
