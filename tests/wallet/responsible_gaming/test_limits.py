"""Rolling windows, and which wagers fit the limits."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.limits import (
    SLOT_MINUTES,
    Usage,
    buy_in_usage,
    find_exceeded_limit,
    leaves_window_at,
    month_after,
    month_before,
    wager_usage,
    window_start,
)
from wallet.responsible_gaming.state import PlayLimit

SINCE = datetime(2026, 11, 21, 9, tzinfo=UTC)


def limits(**amounts: int) -> dict[tuple[LimitType, LimitPeriod], PlayLimit]:
    """`stake_day=100` and the like."""
    result = {}
    for name, amount in amounts.items():
        limit_type, period = name.split("_")
        key = LimitType(limit_type), LimitPeriod(period)
        result[key] = PlayLimit(Initiator.PLAYER, *key, amount, SINCE, "EUR")
    return result


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(1, 1000))
def test_a_wager_fits_exactly_up_to_the_limit(amount: int, used: int, staked: int) -> None:
    excess = find_exceeded_limit(
        limits(stake_day=amount), {(LimitType.STAKE, LimitPeriod.DAY): used}, {LimitType.STAKE: staked}
    )
    assert (excess is None) == (used + staked <= amount)
    if excess is not None:
        assert excess.shortfall == used + staked - amount


def test_a_gain_makes_room_under_a_loss_limit() -> None:
    applying = limits(loss_day=100)
    assert find_exceeded_limit(applying, {(LimitType.LOSS, LimitPeriod.DAY): -50}, {LimitType.LOSS: 150}) is None
    assert find_exceeded_limit(applying, {(LimitType.LOSS, LimitPeriod.DAY): -50}, {LimitType.LOSS: 151}) is not None


def test_the_limit_with_the_least_remaining_is_reported() -> None:
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
def test_a_buy_in_needs_room_for_the_smallest_wager(moved: int, needs: dict[LimitType, int]) -> None:
    assert buy_in_usage(amount=moved, real_money=True, usage=Usage()) == needs


def test_five_minutes_that_already_count_are_not_counted_again() -> None:
    applying, used = limits(time_day=60), {(LimitType.TIME, LimitPeriod.DAY): 60}
    assert (
        find_exceeded_limit(applying, used, wager_usage(staked=1, real_money=True, usage=Usage(slot_counted=True)))
        is None
    )
    assert find_exceeded_limit(applying, used, wager_usage(staked=1, real_money=True, usage=Usage())) is not None


NAIVE = {"min_value": datetime.fromisoformat("2000-01-01"), "max_value": datetime.fromisoformat("2100-01-01")}
MOMENTS = st.datetimes(**NAIVE, timezones=st.just(UTC))
TICK = timedelta(microseconds=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "begin"),
    [
        ("2026-11-21T09:00:00Z", "2026-10-21T09:00:00Z"),
        ("2026-01-15T00:00:00Z", "2025-12-15T00:00:00Z"),
        ("2026-03-28T12:00:00Z", "2026-02-28T12:00:00Z"),
        ("2026-03-29T12:00:00Z", "2026-03-01T00:00:00Z"),
        ("2026-03-31T23:59:59Z", "2026-03-01T00:00:00Z"),
        ("2028-03-29T12:00:00Z", "2028-02-29T12:00:00Z"),
        ("2026-12-31T01:00:00Z", "2026-12-01T00:00:00Z"),
    ],
)
def test_a_month_begins_on_the_same_day_of_the_month_before_or_at_its_end(now: str, begin: str) -> None:
    assert month_before(at(now)) == at(begin)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        ("2026-01-31T10:00:00Z", "2026-03-01T00:00:00Z"),
        ("2026-01-28T10:00:00Z", "2026-02-28T10:00:00Z"),
        ("2026-12-31T10:00:00Z", "2027-01-31T10:00:00Z"),
        ("2026-11-30T10:00:00Z", "2026-12-30T10:00:00Z"),
    ],
)
def test_a_month_later_is_the_same_day_or_the_end_of_a_month_without_it(now: str, end: str) -> None:
    assert month_after(at(now)) == at(end)


def test_several_months_are_added_at_once() -> None:
    assert month_after(at("2026-08-31T10:00:00Z"), months=6) == at("2027-03-01T00:00:00Z")
    assert month_after(at("2026-07-15T10:00:00Z"), months=6) == at("2027-01-15T10:00:00Z")
    assert month_after(at("2026-12-15T10:00:00Z"), months=120) == at("2036-12-15T10:00:00Z")


@pytest.mark.parametrize("hours", [-5, 1, 2])
def test_time_zones_and_daylight_saving_change_no_window(hours: int) -> None:
    moment = at("2026-10-25T01:30:00Z")
    elsewhere = moment.astimezone(timezone(timedelta(hours=hours)))
    for period in LimitPeriod:
        assert window_start(period, elsewhere) == window_start(period, moment)
        assert window_start(period, elsewhere).tzinfo is UTC
        assert leaves_window_at(period, elsewhere) == leaves_window_at(period, moment)
    assert window_start(LimitPeriod.DAY, moment) == at("2026-10-24T01:30:00Z")


@pytest.mark.parametrize("period", LimitPeriod)
def test_a_moment_without_a_zone_is_refused(period: LimitPeriod) -> None:
    naive = datetime.fromisoformat("2026-11-21")
    with pytest.raises(ValueError, match="zone"):
        window_start(period, naive)
    with pytest.raises(ValueError, match="zone"):
        leaves_window_at(period, naive)


@given(MOMENTS, st.sampled_from(LimitPeriod))
def test_an_event_leaves_its_window_exactly_when_predicted(happened: datetime, period: LimitPeriod) -> None:
    leaves_at = leaves_window_at(period, happened)
    assert window_start(period, leaves_at) >= happened
    assert window_start(period, leaves_at - TICK) < happened


@given(MOMENTS, st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400)), st.sampled_from(LimitPeriod))
def test_the_start_of_a_window_never_moves_back(now: datetime, later: timedelta, period: LimitPeriod) -> None:
    assert window_start(period, now + later) >= window_start(period, now)


@given(MOMENTS)
def test_a_month_is_28_to_31_days(now: datetime) -> None:
    assert timedelta(days=28) <= now - month_before(now) <= timedelta(days=31)
