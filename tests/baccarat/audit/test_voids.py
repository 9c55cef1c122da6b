"""Voids and the audit: sound ones pass, and one that was not agreed, not exact or not the first is found."""

import json
from dataclasses import replace

import pytest

from baccarat.audit import rebuild, round_replay
from baccarat.audit.betting import OUT_OF_PLACE
from baccarat.audit.voiding import ALONE, AMOUNTS, TWICE
from baccarat.services import betting, seats, voiding
from casino.events.sql import fetch
from casino.events.store import Append, NewEvent, append
from casino.kernel.money import MoneyType
from tests.baccarat.audit.playing import METADATA, OPERATOR, deal, rechain, seal, sit
from wallet.ledger import player_accounts
from wallet.payments import debts

ASKS, AGREES = replace(METADATA, actor="staff:1"), replace(METADATA, actor="staff:2")


def ask(round_):
    voiding.void(round_=round_, operator=OPERATOR, reason="malfunction", note="The shoe jammed.", metadata=ASKS)


def void(round_):
    ask(round_)
    voiding.approve(round_=round_, operator=OPERATOR, metadata=AGREES)


def settled_rounds(preset):
    statement = (
        "SELECT id FROM baccarat_round WHERE split_part(rules, '@', 1) = %s AND phase = 'settled' ORDER BY number"
    )
    return [row[0] for row in fetch(statement, [preset])]


def void_event(round_):
    (found,) = fetch("SELECT id FROM events_event WHERE stream = %s AND type = 'RoundVoided'", [f"round-{round_}"])
    return found[0]


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


def test_sound_voids_of_every_kind_have_no_findings_and_rebuild_the_same(played, found):
    for preset in ("overview", "mini", "atlantic_city", "big_table", "classic"):
        for round_ in settled_rounds(preset):
            void(round_)
    running = sit("mini")
    running.bet(banker=2500)
    ask(fetch("SELECT round_id FROM baccarat_table WHERE id = %s", [running.table])[0][0])
    asked = sit("mini")
    asked.bet(player=2500)
    deal()
    (last,) = fetch("SELECT id FROM baccarat_round WHERE table_id = %s", [asked.table])[0]
    ask(last)
    assert found() == []
    seal()

    assert found() == []
    assert rebuild.rebuild_projections(compare=True).changed == ()


def test_a_debt_that_a_void_left_may_be_collected(played, found):
    ann = sit("mini", money_type=MoneyType.REAL, buy_in=5000)
    (guest,) = ann.guests
    betting_round = None
    for _ in range(200):
        if _game(guest) < 5000:
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

    assert found() == []
    assert debts.outstanding(operator=OPERATOR, player=guest.player, currency="EUR") == 0
    assert round_replay.replay_round(betting_round).findings == ()


def _game(guest):
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
    """All that the player has goes to another table."""
    seats.leave(actor=guest)
    elsewhere = replace(guest, table=sit("mini").table)
    betting_table = fetch("SELECT id FROM baccarat_table WHERE seats_taken = 0 AND preset = 'mini' LIMIT 1")[0][0]
    (has,) = fetch(
        "SELECT balance FROM wallet_balance JOIN wallet_account ON id = account_id WHERE player_id = %s "
        "AND kind = 'account' AND money_type = 'real'",
        [guest.player],
    )[0]
    other = replace(elsewhere, table=sit("atlantic_city").table)
    seats.take(actor=other, seat=5, money_type=MoneyType.REAL, buy_in=has, currency="EUR")
    assert betting_table == guest.table


def test_a_replay_tells_a_void_in_words(played):
    round_ = settled_rounds("mini")[0]
    void(round_)

    told = round_replay.replay_round(round_)

    assert (told.phase, told.findings) == ("voided", ())
    text = " ".join(line.text for line in told.lines)
    assert "staff:1 requested at" in text
    assert "staff:1 voided the round, and staff:2 agreed" in text
    assert "gets its stake of 35.00 back" in text


@pytest.mark.parametrize("approver", ["staff:1", None])
def test_a_void_that_no_other_person_agreed_to_is_found(played, found, approver):
    round_ = settled_rounds("mini")[0]
    void(round_)
    seal()
    change(played, void_event(round_), "approved_by", approver)

    assert ALONE in [what for what, _ in found()]


def test_a_void_of_wrong_amounts_is_found(played, found):
    round_ = settled_rounds("mini")[0]
    void(round_)
    seal()
    change(played, void_event(round_), "staked", 1)

    assert AMOUNTS in [what for what, _ in found()]


def test_a_void_that_nobody_asked_for_is_found(played, found):
    round_ = settled_rounds("mini")[0]
    void(round_)
    seal()
    with played.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute(
            'UPDATE events_event SET type = \'RoundResumed\', data = \'{"by": "x", "resumed_at": '
            "\"2026-01-01T00:00:00Z\"}' WHERE stream = %s AND type = 'RoundVoidRequested'",
            [f"round-{round_}"],
        )

    whats = [what for what, _ in found()]
    assert ALONE in whats
    assert OUT_OF_PLACE in whats


def test_a_second_void_of_one_round_is_found(played, found):
    round_ = settled_rounds("mini")[0]
    void(round_)
    schema, data, version = fetch(
        "SELECT schema, data::text, version FROM events_event WHERE id = %s", [void_event(round_)]
    )[0]
    append([Append(f"round-{round_}", version, (NewEvent("RoundVoided", schema, data.encode()),), ASKS)])
    seal()

    assert TWICE in [what for what, _ in found()]


def test_a_void_of_a_round_in_play_that_hides_its_seed_is_found(played, found):
    running = sit("mini")
    running.bet(banker=2500)
    (round_,) = fetch("SELECT round_id FROM baccarat_table WHERE id = %s", [running.table])[0]
    ask(round_)
    seal()
    change(played, void_event(round_), "seed", None)

    assert "seed missing" in [what for what, _ in found()]
    assert betting.new_game(actor=running.guests[0]).round.phase == "betting"
