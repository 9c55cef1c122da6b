"""What fits under the limits that hold, and which of them is told of when it does not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.responsible_gaming.events import Measure, Period, Setter
from wallet.responsible_gaming.limits import SLOT_MINUTES, Usage, entry_needs, first_excess, wager_needs
from wallet.responsible_gaming.state import Limit

SINCE = datetime(2026, 11, 21, 9, tzinfo=UTC)


def limits(**most: int) -> dict[tuple[Measure, Period], Limit]:
    """`stake_day=100` and the like."""
    found = {}
    for name, amount in most.items():
        measure, period = name.split("_")
        key = Measure(measure), Period(period)
        found[key] = Limit(Setter.PLAYER, *key, amount, SINCE)
    return found


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 1000))
def test_a_wager_fits_exactly_up_to_the_limit(most: int, used: int, staked: int) -> None:
    excess = first_excess(limits(stake_day=most), {(Measure.STAKE, Period.DAY): used}, {Measure.STAKE: staked})
    assert (excess is None) == (used + staked <= most)
    if excess is not None:
        assert excess.over == used + staked - most


def test_a_gain_makes_room_under_a_limit_of_losses() -> None:
    held = limits(loss_day=100)
    assert first_excess(held, {(Measure.LOSS, Period.DAY): -50}, {Measure.LOSS: 150}) is None
    assert first_excess(held, {(Measure.LOSS, Period.DAY): -50}, {Measure.LOSS: 151}) is not None


def test_the_limit_with_the_least_left_is_told_of() -> None:
    used = {(Measure.STAKE, Period.DAY): 90, (Measure.STAKE, Period.MONTH): 995}
    excess = first_excess(limits(stake_day=100, stake_month=1000), used, {Measure.STAKE: 20})
    assert excess is not None
    assert (excess.limit.period, excess.left, excess.over) == (Period.MONTH, 5, 15)


def test_play_money_uses_up_time_only() -> None:
    assert wager_needs(staked=500, real=False, usage=Usage()) == {Measure.TIME: SLOT_MINUTES}
    assert wager_needs(staked=500, real=True, usage=Usage(slot_counted=True)) == {
        Measure.TIME: 0,
        Measure.STAKE: 500,
        Measure.LOSS: 500,
    }


@pytest.mark.parametrize(("moved", "needs"), [(0, {}), (500, {Measure.TIME: 5, Measure.STAKE: 1, Measure.LOSS: 1})])
def test_money_is_brought_to_a_table_only_where_some_wager_fits(moved: int, needs: dict[Measure, int]) -> None:
    assert entry_needs(moved=moved, real=True, usage=Usage()) == needs


def test_time_that_is_counted_already_is_not_needed_again() -> None:
    held, used = limits(time_day=60), {(Measure.TIME, Period.DAY): 60}
    assert first_excess(held, used, wager_needs(staked=1, real=True, usage=Usage(slot_counted=True))) is None
    assert first_excess(held, used, wager_needs(staked=1, real=True, usage=Usage())) is not None
