"""Audit of voids: correct ones have no findings; unapproved, inexact and repeated ones are reported."""

import json
from dataclasses import replace

import pytest

from baccarat.audit import round_replay
from baccarat.audit.rebuild import play_projector
from baccarat.audit.voiding import ALONE, AMOUNTS, TWICE
from baccarat.services import betting, seats, voiding
from casino.events.rebuild import check
from casino.events.sql import fetch
from casino.events.store import Append, NewEvent, append
from casino.kernel.money import MoneyType
from tests.baccarat.audit.playing import METADATA, OPERATOR, deal, rechain, seal, sit
from tests.support import voids
from wallet.ledger import player_accounts
from wallet.payments import debts

REQUESTER = replace(METADATA, actor="staff:1")


def request_void(round_):
    voiding.void(round_=round_, operator=OPERATOR, reason="malfunction", note="The shoe jammed.", metadata=REQUESTER)


def void(round_):
    request_void(round_)
    voids.confirm(round_)


def settled_rounds(preset):
    statement = (
        "SELECT id FROM baccarat_round WHERE split_part(rules_label, '@', 1) = %s AND phase = 'settled' ORDER BY number"
    )
    return [row[0] for row in fetch(statement, [preset])]


def void_event(round_):
    (row,) = fetch("SELECT id FROM events_event WHERE stream = %s AND type = 'RoundVoided'", [f"round-{round_}"])
    return row[0]


def change(database, event, name, value):
    """Change one field of an event, its chain recomputed."""
    data = json.loads(fetch("SELECT data::text FROM events_event WHERE id = %s", [event])[0][0])
    holder = data["seats"][0] if name in data["seats"][0] else data
    holder[name] = value if value is not None or name == "approved_by" else None
    with database.owner() as owner:
        for table in ("events_event", "events_seal", "events_chainhead"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        owner.execute("UPDATE events_event SET data = %s::jsonb WHERE id = %s", [json.dumps(data), event])
    rechain(database)


def test_correct_voids_have_no_findings_and_a_rebuild_changes_nothing(played, audit_findings):
    for preset in ("overview", "mini", "atlantic_city", "big_table", "classic"):
        for round_ in settled_rounds(preset):
            void(round_)
    running = sit("mini")
    running.bet(banker=2500)
    request_void(fetch("SELECT round_id FROM baccarat_table WHERE id = %s", [running.table])[0][0])
    settled = sit("mini")
    settled.bet(player=2500)
    deal()
    (last,) = fetch("SELECT id FROM baccarat_round WHERE table_id = %s", [settled.table])[0]
    request_void(last)
    assert audit_findings() == []
    seal()

    assert audit_findings() == []
    assert check(play_projector()).changed == ()


def test_collecting_the_debt_of_a_void_causes_no_finding(played, audit_findings):
    ann = sit("mini", money_type=MoneyType.REAL, buy_in=5000)
    (guest,) = ann.guests
    betting_round = None
    for _ in range(200):
        if _game_balance(guest) < 5000:
            _credit(guest, 10_000)
            seats.rebuy(actor=guest, amount=5000, currency="EUR")
        ann.bet(player=5000)
        deal()
        betting_round, returned = fetch(
            "SELECT round_id, returned FROM baccarat_wager WHERE table_id = %s ORDER BY round_id DESC LIMIT 1",
            [ann.table],
        )[0]
        if returned > 5000:
            break
    _spend(guest)
    void(betting_round)
    assert debts.outstanding(operator=OPERATOR, player=guest.player, currency="EUR") == 5000
    _credit(guest, 8000)
    debts.collect_due()
    seal()

    assert audit_findings() == []
    assert debts.outstanding(operator=OPERATOR, player=guest.player, currency="EUR") == 0
    assert round_replay.replay_round(betting_round).findings == ()


def _game_balance(guest):
    rows = fetch(
        "SELECT balance FROM wallet_balance JOIN wallet_account ON id = account_id WHERE player_id = %s "
        "AND kind = 'game' AND money_type = 'real'",
        [guest.player],
    )
    return rows[0][0]


def _credit(guest, amount):
    player_accounts.credit_sandbox_player(
        operator=OPERATOR, player=guest.player, money_type=MoneyType.REAL, currency="EUR", amount=amount, sandbox=True,
        metadata=METADATA,
    )  # fmt: skip


def _spend(guest):
    """Move the player's whole balance to another table."""
    seats.leave(actor=guest)
    elsewhere = replace(guest, table=sit("mini").table)
    betting_table = fetch("SELECT id FROM baccarat_table WHERE seats_taken = 0 AND preset = 'mini' LIMIT 1")[0][0]
    (balance,) = fetch(
        "SELECT balance FROM wallet_balance JOIN wallet_account ON id = account_id WHERE player_id = %s "
        "AND kind = 'account' AND money_type = 'real'",
        [guest.player],
    )[0]
    other = replace(elsewhere, table=sit("atlantic_city").table)
    seats.take(actor=other, seat=5, money_type=MoneyType.REAL, buy_in=balance, currency="EUR")
    assert betting_table == guest.table


def test_a_replay_describes_a_void(played):
    round_ = settled_rounds("mini")[0]
    void(round_)

    replay = round_replay.replay_round(round_)

    assert (replay.phase, replay.findings) == ("voided", ())
    text = " ".join(line.text for line in replay.lines)
    assert "staff:1 voided the round, and staff:2 agreed" in text
    assert "gets its stake of 35.00 back" in text


@pytest.mark.parametrize("approver", ["staff:1", None])
def test_a_void_without_a_second_approver_is_reported(played, audit_findings, approver):
    round_ = settled_rounds("mini")[0]
    void(round_)
    seal()
    change(played, void_event(round_), "approved_by", approver)

    assert ALONE in [kind for kind, _ in audit_findings()]


def test_a_void_of_wrong_amounts_is_reported(played, audit_findings):
    round_ = settled_rounds("mini")[0]
    void(round_)
    seal()
    change(played, void_event(round_), "staked", 1)

    assert AMOUNTS in [kind for kind, _ in audit_findings()]


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("metadata = metadata::jsonb - 'causation'", "done without its change"),
        ('data = data::jsonb || \'{"reason": "fraud"}\'', "effect differs from its change"),
        ('data = data::jsonb || \'{"approved_by": "staff:7"}\'', "effect differs from its change"),
    ],
)
def test_a_void_without_the_change_on_which_two_persons_agreed_is_reported(played, audit_findings, statement, finding):
    round_ = settled_rounds("mini")[0]
    void(round_)
    seal()
    with played.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute(f"UPDATE events_event SET {statement} WHERE id = %s", [void_event(round_)])  # noqa: S608

    assert finding in [kind for kind, _ in audit_findings()]


def test_a_second_void_of_a_round_is_reported(played, audit_findings):
    round_ = settled_rounds("mini")[0]
    void(round_)
    schema, data, version = fetch(
        "SELECT schema, data::text, version FROM events_event WHERE id = %s", [void_event(round_)]
    )[0]
    append([Append(f"round-{round_}", version, (NewEvent("RoundVoided", schema, data.encode()),), REQUESTER)])
    seal()

    assert TWICE in [kind for kind, _ in audit_findings()]


def test_a_void_without_its_seed_is_reported(played, audit_findings):
    running = sit("mini")
    running.bet(banker=2500)
    (round_,) = fetch("SELECT round_id FROM baccarat_table WHERE id = %s", [running.table])[0]
    request_void(round_)
    seal()
    change(played, void_event(round_), "seed", None)

    assert "seed missing" in [kind for kind, _ in audit_findings()]
    assert betting.new_game(actor=running.guests[0]).round.phase == "betting"
