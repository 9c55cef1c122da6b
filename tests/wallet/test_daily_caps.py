"""Daily caps on money that moves: transfers in beyond one are refused, whatever comes at once."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.operators import daily_caps
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.models import DailyCap
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Tenant
from tests.conftest import Database
from tests.wallet.api.test_transfers import code, move, new_house, wallet

REACHED = (403, "daily_cap_reached")


def cap(house: Tenant, kind: CapKind, amount: int, effect: CapEffect | None = None) -> None:
    daily_caps.change(operator=UUID(house.id), kind=kind, currency="EUR", amount=amount, effect=effect, by="staff:1")


def told() -> list[tuple[str, int]]:
    events = SignificantEvent.objects.filter(kind="daily_cap_reached").order_by("number")
    return [(event.after["kind"], event.amount) for event in events]


@pytest.mark.django_db
def test_a_transfer_in_beyond_the_cap_of_the_day_is_refused_stores_nothing_and_is_told_once() -> None:
    house = new_house()
    cap(house, CapKind.TRANSFERS_IN, 250_00)
    alice, rows = house.player("Alice", funds=""), "SELECT count(*) FROM events_event"

    first = [move(house, alice) for _ in range(2)]  # one reference
    assert first[0].content == first[1].content
    assert move(house, alice, reference="tx-2", amount="149.99").status_code == 201
    before = fetch(rows)
    for number in (3, 4):
        assert code(move(house, alice, reference=f"tx-{number}", amount="0.02")) == REACHED
    assert (fetch(rows), wallet(house), DailyCap.objects.get().moved) == (before, -249_99, 249_99)
    assert told() == [("transfers_in", 250_00)]

    assert move(house, alice, reference="tx-3", amount="0.01").status_code == 201
    assert move(house, alice, reference="tx-4", amount="500.00", money_type="play").status_code == 201
    assert move(house, alice, reference="tx-5", direction="out", amount="all").status_code == 201
    assert code(move(house, alice, reference="tx-6", amount="0.01")) == REACHED


@pytest.mark.django_db
def test_no_money_goes_out_to_the_operators_wallet_while_wins_beyond_their_cap_hold_payouts() -> None:
    house = new_house()
    alice = house.player("Alice", funds="50.00")
    cap(house, CapKind.WINS, 10_00, CapEffect.HOLD_PAYOUTS)
    DailyCap.objects.update(moved=10_01)
    out = {"direction": "out", "amount": "1.00"}

    assert code(move(house, alice, **out)) == REACHED
    assert told() == [("wins", 10_00)]
    DailyCap.objects.update(moved=10_00)
    assert move(house, alice, **out).status_code == 201


def test_of_fifty_transfers_at_once_as_many_move_as_the_cap_allows(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    assert database
    house = new_house()
    cap(house, CapKind.TRANSFERS_IN, 75_00)
    players = [house.player(name, funds="") for name in ("Alice", "Bob", "Charlie")]

    answers = in_threads(50, lambda n: move(house, players[n % 3], reference=f"tx-{n}", amount="10.00"))

    assert sorted(answer.status_code for answer in answers) == [201] * 7 + [403] * 43
    assert (wallet(house), DailyCap.objects.get().moved, told()) == (-70_00, 70_00, [("transfers_in", 75_00)])
    sealer.seal_all()
    assert engine.run_audit().findings == ()
    execute("UPDATE operators_dailycap SET moved = 0")
    assert [(finding.kind, finding.expected, finding.actual) for finding in engine.run_audit().findings] == [
        ("daily cap differs", "7000", "0")
    ]
