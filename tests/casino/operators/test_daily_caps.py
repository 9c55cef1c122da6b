"""Caps on the real money of an accounting day: one person sets and tightens them, two raise and remove them."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from casino.events.sql import database_now
from casino.operators import bounds, changes, daily_caps, services, set_up
from casino.operators.daily_caps import CapEffect, CapKind, DayTotal
from casino.operators.models import Change, DailyCap, Operator
from casino.operators.refusals import ChangeNeedsSecondPerson, DailyCapsSet, InvalidDailyCap
from casino.significant.models import SignificantEvent
from tests.support.acts import agreed

pytestmark = pytest.mark.django_db
ANN, BEN = "staff:1", "staff:2"
MONDAY, TUESDAY = date(2027, 3, 1), date(2027, 3, 2)
NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def lucky() -> Operator:
    with agreed():
        return services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)


def cap(operator: Operator, amount: int | None, kind: CapKind = CapKind.TRANSFERS_IN, **more: Any) -> Change | None:
    return bounds.set_cap(operator, kind=kind, currency="EUR", amount=amount, **{"by": ANN, **more})


def count(operator: Operator, amount: int, at: datetime, **more: Any) -> bool:
    return daily_caps.count(CapKind.TRANSFERS_IN, operator=operator.pk, currency="EUR", amount=amount, at=at, **more)


@pytest.mark.parametrize(
    ("day", "amount", "fits", "moved"),
    [(MONDAY, 39, True, 99), (MONDAY, 40, True, 100), (MONDAY, 41, False, 101), (TUESDAY, 100, True, 100),
     (TUESDAY, 101, False, 101)],
)  # fmt: skip
def test_a_cap_allows_what_with_the_rest_of_the_day_comes_up_to_it(
    day: date, amount: int, fits: bool, moved: int
) -> None:
    total = DayTotal(MONDAY, 60)
    assert (total.fits(amount, day, 100), total.add(amount, day)) == (fits, DayTotal(day, moved))


def test_what_comes_late_for_a_day_that_has_ended_counts_on_neither_day() -> None:
    total = DayTotal(TUESDAY, 60)
    assert (total.fits(90, MONDAY, 100), total.add(90, MONDAY)) == (True, total)


@pytest.mark.parametrize(
    ("amount", "effect", "needs_two"),
    [(99_00, CapEffect.STOP_BETS, False), (100_00, CapEffect.STOP_BETS, False), (100_01, CapEffect.STOP_BETS, True),
     (50_00, CapEffect.HOLD_PAYOUTS, True), (None, None, True)],
)  # fmt: skip
def test_at_a_live_operator_one_person_tightens_a_cap_and_two_loosen_it(
    lucky: Operator, amount: int | None, effect: CapEffect | None, needs_two: bool
) -> None:
    assert cap(lucky, 100_00, CapKind.WINS) is None

    change = cap(lucky, amount, CapKind.WINS, effect=effect)

    assert (change is not None) is needs_two
    if change is not None:
        assert DailyCap.objects.get().amount == 100_00
        with pytest.raises(ChangeNeedsSecondPerson):
            changes.confirm(change.pk, by=ANN)
        changes.confirm(change.pk, by=BEN)
    after = [(row.amount, row.effect) for row in DailyCap.objects.all()]
    assert after == ([] if amount is None else [(amount, effect)])


def test_what_cannot_be_a_cap_is_refused(lucky: Operator) -> None:
    for amount, more in ((0, {}), (10**18, {}), (1, {"effect": CapEffect.HOLD_PAYOUTS}), (None, {})):
        with pytest.raises(InvalidDailyCap):
            daily_caps.change(
                operator=lucky.pk, kind=CapKind.TRANSFERS_IN, currency="EUR", amount=amount, by=ANN, **more
            )
    assert not DailyCap.objects.exists()


def test_a_cap_keeps_what_it_counted_when_it_changes_and_begins_anew_each_accounting_day(lucky: Operator) -> None:
    services.set_time_zone(slug="lucky", time_zone="Asia/Tokyo", by=ANN)
    cap(lucky, 100_00)
    assert [count(lucky, amount, NOON) for amount in (60_00, 40_01, 40_00, 1)] == [True, False, True, False]

    changes.confirm(cap(lucky, 110_00).pk, by=BEN)  # type: ignore[union-attr]
    assert [count(lucky, amount, NOON + timedelta(hours=2)) for amount in (10_01, 10_00)] == [False, True]
    midnight = NOON + timedelta(hours=3)
    assert [count(lucky, amount, midnight) for amount in (110_01, 110_00, 1)] == [False, True, False]
    assert count(lucky, 1, midnight, anyway=True)

    row = DailyCap.objects.get()
    assert (row.day, row.moved) == (TUESDAY, 110_01)


def test_what_moved_before_a_cap_was_set_does_not_count(lucky: Operator) -> None:
    cap(lucky, 100_00)
    assert count(lucky, 500_00, datetime(2026, 3, 1, tzinfo=UTC))
    assert DailyCap.objects.get().moved == 0


def test_the_time_zone_cannot_change_and_so_begin_the_day_anew_while_there_are_caps(lucky: Operator) -> None:
    cap(lucky, 100_00)
    with pytest.raises(DailyCapsSet):
        set_up.set_time_zone(lucky, time_zone="Asia/Tokyo", by=ANN)


def test_a_cap_that_is_reached_is_told_once_a_day_and_anew_once_it_was_raised(lucky: Operator) -> None:
    cap(lucky, 100_00)
    for amount in (None, None, 90_00):
        if amount is not None:
            cap(lucky, amount)
        daily_caps.tell(CapKind.TRANSFERS_IN, operator=lucky.pk, currency="EUR")
    told = SignificantEvent.objects.filter(kind="daily_cap_reached").order_by("number")
    assert [(row.severity, row.amount, row.currency) for row in told] == [
        ("warning", 100_00, "EUR"), ("warning", 90_00, "EUR"),
    ]  # fmt: skip


def test_a_cap_that_is_nearly_reached_is_told_once_a_day(lucky: Operator) -> None:
    def told() -> int:
        return SignificantEvent.objects.filter(kind="daily_cap_near", operator_id=lucky.pk).count()

    cap(lucky, 100_00)
    assert (count(lucky, 79_99, NOON), told()) == (True, 0)
    assert (count(lucky, 30_00, NOON), told()) == (False, 0)
    assert (count(lucky, 1, NOON), told()) == (True, 1)
    assert (count(lucky, 20_00, NOON), told()) == (True, 1)


def test_wins_that_come_near_their_cap_are_told_unless_they_exceed_it(lucky: Operator) -> None:
    daily_caps.change(operator=lucky.pk, kind=CapKind.WINS, currency="EUR", amount=100_00, by=ANN)
    for won in (79_99, 1, 20_00, 1):
        daily_caps.count_wins({(lucky.pk, "EUR"): won}, at=database_now())
    told = SignificantEvent.objects.filter(kind__startswith="daily_cap").order_by("number")
    assert [(row.kind, row.after["counted"]) for row in told] == [
        ("daily_cap_near", 80_00), ("daily_cap_reached", 100_01),
    ]  # fmt: skip


def test_by_a_command_a_cap_is_set_at_once_and_its_removal_waits_for_two(
    lucky: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("operator", "cap", "lucky", "wins", "EUR", "500.00", "--effect", "hold_payouts")
    row = DailyCap.objects.get()
    assert (row.kind, row.amount, row.effect) == ("wins", 500_00, "hold_payouts")

    call_command("operator", "cap", "lucky", "wins", "EUR")
    assert "2 persons confirm" in capsys.readouterr().out
    with pytest.raises(CommandError, match="can't be set like this"):
        call_command("operator", "cap", "lucky", "credits", "EUR")
    assert DailyCap.objects.get().amount == 500_00
