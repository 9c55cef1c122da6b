"""What fits under the limits that hold, and which of them is told of when it does not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import SLOT_MINUTES, Usage, buy_in_usage, find_exceeded_limit, wager_usage
from wallet.responsible_gaming.state import PlayLimit

SINCE = datetime(2026, 11, 21, 9, tzinfo=UTC)


def limits(**most: int) -> dict[tuple[LimitType, LimitPeriod], PlayLimit]:
    """`stake_day=100` and the like."""
    found = {}
    for name, amount in most.items():
        measure, period = name.split("_")
        key = LimitType(measure), LimitPeriod(period)
        found[key] = PlayLimit(Initiator.PLAYER, *key, amount, SINCE)
    return found


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 1000))
def test_a_wager_fits_exactly_up_to_the_limit(most: int, used: int, staked: int) -> None:
    excess = find_exceeded_limit(
        limits(stake_day=most), {(LimitType.STAKE, LimitPeriod.DAY): used}, {LimitType.STAKE: staked}
    )
    assert (excess is None) == (used + staked <= most)
    if excess is not None:
        assert excess.shortfall == used + staked - most


def test_a_gain_makes_room_under_a_limit_of_losses() -> None:
    held = limits(loss_day=100)
    assert find_exceeded_limit(held, {(LimitType.LOSS, LimitPeriod.DAY): -50}, {LimitType.LOSS: 150}) is None
    assert find_exceeded_limit(held, {(LimitType.LOSS, LimitPeriod.DAY): -50}, {LimitType.LOSS: 151}) is not None


def test_the_limit_with_the_least_left_is_told_of() -> None:
    used = {(LimitType.STAKE, LimitPeriod.DAY): 90, (LimitType.STAKE, LimitPeriod.MONTH): 995}
    excess = find_exceeded_limit(limits(stake_day=100, stake_month=1000), used, {LimitType.STAKE: 20})
    assert excess is not None
    assert (excess.limit.period, excess.remaining, excess.shortfall) == (LimitPeriod.MONTH, 5, 15)


def test_play_money_uses_up_time_only() -> None:
    assert wager_usage(staked=500, real_money=False, usage=Usage()) == {LimitType.TIME: SLOT_MINUTES}
    assert wager_usage(staked=500, real_money=True, usage=Usage(slot_counted=True)) == {
        LimitType.TIME: 0,
        LimitType.STAKE: 500,
        LimitType.LOSS: 500,
    }


@pytest.mark.parametrize(
    ("moved", "needs"), [(0, {}), (500, {LimitType.TIME: 5, LimitType.STAKE: 1, LimitType.LOSS: 1})]
)
def test_money_is_brought_to_a_table_only_where_some_wager_fits(moved: int, needs: dict[LimitType, int]) -> None:
    assert buy_in_usage(amount=moved, real_money=True, usage=Usage()) == needs


def test_time_that_is_counted_already_is_not_needed_again() -> None:
    held, used = limits(time_day=60), {(LimitType.TIME, LimitPeriod.DAY): 60}
    assert (
        find_exceeded_limit(held, used, wager_usage(staked=1, real_money=True, usage=Usage(slot_counted=True))) is None
    )
    assert find_exceeded_limit(held, used, wager_usage(staked=1, real_money=True, usage=Usage())) is not None
