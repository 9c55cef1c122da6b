"""Daily caps on money that moves: beyond one, transfers in are refused, credits and payouts held, at once as well."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from baccarat.audit import daily_caps as daily_cap_audit
from baccarat.audit import engine
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.operators import daily_caps
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.models import DailyCap, Operator
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Gambler, Tenant, tenant
from tests.baccarat.audit.playing import tamper
from tests.conftest import Database
from tests.support.payouts import pay_unplayed
from tests.wallet.api.test_transfers import code, move, new_house, wallet
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.payments.counter import (
    complete_deposit,
    deposit,
    method,
    open_alice,
    report,
    use_provider,
    withdraw,
)
from wallet.ledger.player_accounts import open_player_accounts
from wallet.models import Hold
from wallet.payments import deposits, holds, withdrawals
from wallet.payments.methods import MethodVersion

REACHED = (403, "daily_cap_reached")


def cap(house: Tenant | UUID, kind: CapKind, amount: int, effect: CapEffect | None = None) -> None:
    operator = house if isinstance(house, UUID) else UUID(house.id)
    daily_caps.change(operator=operator, kind=kind, currency="EUR", amount=amount, effect=effect, by="staff:1")


def audited() -> set[str]:
    return {finding.kind for finding in engine.run_audit().findings}


def differing() -> list[tuple[str, str]]:
    return [(finding.expected, finding.actual) for finding in daily_cap_audit.check()]


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
    assert differing() == []
    execute("UPDATE operators_dailycap SET moved = 0")
    assert differing() == [("7000", "0")]


def credit(house: Tenant, player: Gambler, amount: str, **changes: str) -> Any:
    """Have two persons credit a player, and return the answer to the second one."""
    body = {"player": player.id, "direction": "credit", "amount": amount, "currency": "EUR", "reason": "complaint"}
    asked = house.do("adjustments", {**body, "note": "Ticket 4411.", **changes}, person="ann")
    return house.post(f"changes/{asked['id']}/confirm", person="ben").json()


def held_credits(house: Tenant) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = house.read("changes", kind="release_credit", status="requested")["items"]
    return found


@pytest.mark.django_db
def test_a_credit_beyond_the_cap_of_the_day_is_held_until_two_of_compliance_release_it() -> None:
    house = tenant("lucky")
    alice = house.player("Alice", funds="1.00")
    cap(house, CapKind.CREDITS, 30_00)
    for amount, more in (
        ("29.99", {}),
        ("20.00", {"direction": "debit"}),
        ("0.01", {}),
        ("90.00", {"money_type": "play"}),
    ):
        credit(house, alice, amount, **more)
    assert (held_credits(house), told()) == ([], [])

    assert credit(house, alice, "5.00")["status"] == "effective"

    (held,) = held_credits(house)
    assert (alice.balances()["account", "real"], held["details"]["amount"]) == ("11.00", "5.00")
    assert told() == [("credits", 30_00)]
    confirm = f"changes/{held['id']}/confirm"
    assert code(house.post(confirm, person="ben")) == (403, "change_needs_second_person")
    assert house.do(confirm, person="carol")["status"] == "requested"
    for person in ("ann", "ben", "carol"):  # who requested it, who approved it, and who has agreed already
        assert code(house.post(confirm, person=person)) == (403, "change_needs_second_person")
    assert alice.balances()["account", "real"] == "11.00"
    assert house.do(confirm, person="dave")["status"] == "effective"

    assert (alice.balances()["account", "real"], DailyCap.objects.get().moved) == ("16.00", 35_00)
    done = house.read(f"adjustments/{held['id']}")
    assert (done["requested_by"], done["approved_by"]) == (house.actor("ann"), house.actor("ben"))


@pytest.mark.django_db
def test_a_held_credit_that_compliance_declines_moves_nothing() -> None:
    house = tenant("lucky")
    alice = house.player("Alice", funds="1.00")
    cap(house, CapKind.CREDITS, 30_00)
    credit(house, alice, "30.01")
    (held,) = held_credits(house)
    assert house.do(f"changes/{held['id']}/decline", person="carol")["status"] == "declined"
    assert (alice.balances()["account", "real"], DailyCap.objects.get().moved) == ("1.00", 0)


def own_house() -> None:
    Operator.objects.create(id=OPERATOR, slug="house", name="House", currencies=["EUR"])


def fund_alice(amount: int = 500_00) -> MethodVersion:
    """Give Alice money, which leaves unplayed and without an approval."""
    own_house()
    open_alice()
    pay_unplayed(OPERATOR, automatic=amount, second=amount)
    card = method(fee_fixed=0, fee_ppm=0)
    complete_deposit(card, amount)
    return card


@pytest.mark.django_db
def test_a_payout_beyond_the_cap_of_the_day_is_held_and_counts_once_it_is_released(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_provider(monkeypatch)
    card = fund_alice()
    cap(OPERATOR, CapKind.PAYOUTS, 100_00)
    first, second, third = (withdraw(card, amount) for amount in (60_00, 40_01, 40_00))

    assert [withdrawals.send(each) for each in (first, second, third)] == [True, False, True]

    hold = holds.open_hold_of(second)
    assert hold is not None
    assert (hold.causes, told(), DailyCap.objects.get().moved) == ("daily_cap", [("payouts", 100_00)], 100_00)
    assert withdrawals.send(second) is False  # it waits, whatever the day
    holds.release(hold.pk, by="staff:7", metadata=METADATA)
    assert (withdrawals.send(second), DailyCap.objects.get().moved) == (True, 140_01)


@pytest.mark.django_db
def test_while_wins_beyond_their_cap_hold_payouts_every_payout_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    card = fund_alice()
    cap(OPERATOR, CapKind.WINS, 10_00, CapEffect.HOLD_PAYOUTS)
    before = withdraw(card, 10_00)
    DailyCap.objects.update(moved=10_01)

    assert withdrawals.send(before) is False
    requested = withdraw(card, 20_00)

    assert {hold.causes for hold in map(holds.open_hold_of, (before, requested)) if hold} == {"daily_wins"}


def test_of_fifty_payouts_at_once_as_many_leave_as_the_cap_allows(
    database: Database, in_threads: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    use_provider(monkeypatch)
    card = fund_alice(100_00)
    cap(OPERATOR, CapKind.PAYOUTS, 75_00)
    asked = [withdraw(card, 10_00) for _ in range(10)]
    for player in (UUID(int=100 + number) for number in range(4)):
        open_player_accounts(operator=OPERATOR, player=player, currency="EUR", metadata=METADATA)
        deposits.apply(report(deposit(card, 100_00, player), "completed", amount=100_00), provider="sandbox")
        asked += [
            withdrawals.request(
                operator=OPERATOR, player=player, currency="EUR", method=card.id, amount=10_00, metadata=METADATA
            )
            for _ in range(10)
        ]

    sent = in_threads(50, lambda number: withdrawals.send(asked[number]))

    assert sorted(sent) == [False] * 43 + [True] * 7
    assert (DailyCap.objects.get().moved, Hold.objects.filter(status="open", causes="daily_cap").count()) == (70_00, 43)
    assert differing() == []
    execute("UPDATE operators_dailycap SET moved = moved - 1")
    assert differing() == [("7000", "6999")]


def test_the_audit_finds_nothing_in_a_released_credit_and_something_in_one_that_one_person_released(
    database: Database,
) -> None:
    house = tenant("lucky")
    alice = house.player("Alice", funds="1.00")
    cap(house, CapKind.CREDITS, 30_00)
    credit(house, alice, "20.00")
    credit(house, alice, "20.00")
    (held,) = held_credits(house)
    for person in ("carol", "dave"):
        house.do(f"changes/{held['id']}/confirm", person=person)
    sealer.seal_all()
    assert audited() == set()
    execute("UPDATE operators_dailycap SET moved = 0")
    assert audited() == {"daily cap differs"}

    statement = """UPDATE events_event SET data = jsonb_set(data::jsonb, '{released_by}', '["desk:carol"]')::json
                    WHERE stream = 'adjustment-%s'"""  # fmt: skip
    tamper(database, statement % held["id"])
    assert "effect differs from its change" in audited()
