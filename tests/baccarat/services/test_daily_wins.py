"""Wins of an accounting day: always credited, each counted once, and beyond the cap no table takes new bets."""

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.audit import daily_caps as audit
from baccarat.services import dealing
from casino.events.sql import execute
from casino.operators import bounds, changes, daily_caps
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.models import DailyCap, Operator
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import LONG_TURN, Gambler, Tenant, bet, deal_all, sit, tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def house() -> Tenant:
    return tenant("lucky")


def cap(house: Tenant, amount: int, effect: CapEffect = CapEffect.STOP_BETS) -> None:
    daily_caps.change(
        operator=UUID(house.id), kind=CapKind.WINS, currency="EUR", amount=amount, effect=effect, by="staff:1"
    )


def counted() -> int:
    return DailyCap.objects.get().moved


def balance(player: Gambler) -> int:
    return round(float(player.balances()["game", "real"]) * 100)


def play_until_won(player: Gambler, table: str) -> int:
    """Play until a round is won, and return by how much."""
    for _ in range(200):
        before = balance(player)
        bet(player, table, player="50.00")
        deal_all()
        if (won := balance(player) - before) > 0:
            return won
    raise AssertionError("That never came.")


def refusal(player: Gambler, table: str, path: str = "deal", **body: Any) -> tuple[int, str]:
    asked = body or {"stakes": [{"spot": "player", "amount": "50.00"}], "currency": "EUR"}
    answer = player.post(f"tables/{table}/{path}", asked)
    return answer.status_code, answer.json().get("code", "")


STOPPED = (403, "daily_wins_reached")
CHIPS = {"spot": "player", "amount": "50.00", "currency": "EUR"}


def test_beyond_the_cap_of_wins_every_table_refuses_real_bets_until_the_day_ends_or_two_raise_it(
    house: Tenant,
) -> None:
    cap(house, 49_99)
    alice, bob, carol = (house.player(name) for name in ("Alice", "Bob", "Carol"))
    table, other = house.table("mini"), house.table("atlantic_city", rules=LONG_TURN)
    sit(alice, table)
    sit(bob, other)
    sit(carol, other, seat=2, money_type="play")
    bob.do(f"tables/{other}/pass")  # the round that opened for him alone
    deal_all()
    bob.do(f"tables/{other}/place", CHIPS)

    assert (play_until_won(alice, table), counted()) == (50_00, 50_00)

    assert [refusal(alice, table), refusal(bob, other), refusal(bob, other, "place", **CHIPS)] == [STOPPED] * 3
    assert carol.post(f"tables/{other}/place", CHIPS).status_code == 200
    alice.do(f"tables/{table}/leave")
    (told,) = SignificantEvent.objects.filter(kind="daily_cap_reached")
    assert (told.after["effect"], told.amount) == ("stop_bets", 49_99)

    change = bounds.set_cap(Operator.objects.get(), kind=CapKind.WINS, currency="EUR", amount=50_00, by="staff:1")
    assert change is not None
    assert refusal(bob, other) == STOPPED
    changes.confirm(change.pk, by="staff:2")
    assert bob.post(f"tables/{other}/place", CHIPS).status_code == 200
    DailyCap.objects.update(moved=50_01)
    assert refusal(bob, other, "place", **CHIPS) == STOPPED
    execute("UPDATE operators_dailycap SET day = day - 1")  # the day is over
    assert bob.post(f"tables/{other}/place", CHIPS).status_code == 200


def test_each_win_counts_once_beyond_its_stake_and_stays_counted_when_its_round_is_void(house: Tenant) -> None:
    cap(house, 1_000_000_00, CapEffect.HOLD_PAYOUTS)
    alice, bob, carol = (house.player(name) for name in ("Alice", "Bob", "Carol"))
    table = house.table("atlantic_city", rules=LONG_TURN)
    sit(alice, table)
    sit(bob, table, seat=2)
    sit(carol, table, seat=3, money_type="play")
    alice.do(f"tables/{table}/pass")  # the round that opened for her alone
    deal_all()
    won = 0
    for _ in range(5):
        before = balance(alice), balance(bob)
        bet(alice, table, player="50.00", tie="5.00")
        bet(bob, table, banker="50.00")
        bet(carol, table, player="50.00")
        deal_all()
        won += sum(max(0, after - own) for after, own in zip((balance(alice), balance(bob)), before, strict=True))
    assert won == counted() > 0
    assert list(audit.check()) == []

    round_ = house.read(f"tables/{table}")["last_round"]["id"]
    void = house.do(f"rounds/{round_}/void", {"reason": "malfunction", "note": "x"}, person="ann")
    house.do(f"changes/{void['id']}/confirm", person="ben")
    assert (counted(), list(audit.check())) == (won, [])
    execute("UPDATE operators_dailycap SET moved = moved - 1")
    assert [finding.kind for finding in audit.check()] == ["daily cap differs"]


def test_counting_wins_takes_one_statement_a_settlement_and_without_a_cap_none(house: Tenant) -> None:
    alice, table = house.player("Alice"), house.table("mini")
    sit(alice, table)

    def counting(*, until: int) -> set[int]:
        """Return how many statements of settlements were about caps, until this many won rounds."""
        found, won = set(), 0
        while won < until:
            before = balance(alice)
            bet(alice, table, player="50.00")
            with CaptureQueriesContext(connection) as queries:
                assert dealing.deal_due() == 1
            found.add(sum("operators_dailycap" in query["sql"] for query in queries.captured_queries))
            won += balance(alice) > before
        return found

    assert counting(until=2) == {0}
    cap(house, 1_000_000_00)
    assert counting(until=2) - {0} == {1}
