"""Windows roll: what is in one leaves it once, at the moment that is told, whatever calendars and clocks do."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet.responsible_gaming.events import LimitPeriod
from wallet.responsible_gaming.windows import leaves_window_at, month_after, month_before, start

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


def test_months_are_added_together_and_never_fall_short() -> None:
    assert month_after(at("2026-08-31T10:00:00Z"), months=6) == at("2027-03-01T00:00:00Z")
    assert month_after(at("2026-07-15T10:00:00Z"), months=6) == at("2027-01-15T10:00:00Z")
    assert month_after(at("2026-12-15T10:00:00Z"), months=120) == at("2036-12-15T10:00:00Z")


@pytest.mark.parametrize("hours", [-5, 1, 2])
def test_another_zone_or_a_clock_put_back_changes_no_window(hours: int) -> None:
    moment = at("2026-10-25T01:30:00Z")
    elsewhere = moment.astimezone(timezone(timedelta(hours=hours)))
    for period in LimitPeriod:
        assert start(period, elsewhere) == start(period, moment)
        assert start(period, elsewhere).tzinfo is UTC
        assert leaves_window_at(period, elsewhere) == leaves_window_at(period, moment)
    assert start(LimitPeriod.DAY, moment) == at("2026-10-24T01:30:00Z")


@pytest.mark.parametrize("period", LimitPeriod)
def test_a_moment_without_a_zone_is_refused(period: LimitPeriod) -> None:
    naive = datetime.fromisoformat("2026-11-21")
    with pytest.raises(ValueError, match="zone"):
        start(period, naive)
    with pytest.raises(ValueError, match="zone"):
        leaves_window_at(period, naive)


@given(MOMENTS, st.sampled_from(LimitPeriod))
def test_what_happened_leaves_at_the_moment_told_and_not_before(happened: datetime, period: LimitPeriod) -> None:
    gone = leaves_window_at(period, happened)
    assert start(period, gone) >= happened
    assert start(period, gone - TICK) < happened


@given(MOMENTS, st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400)), st.sampled_from(LimitPeriod))
def test_a_window_never_goes_back(now: datetime, later: timedelta, period: LimitPeriod) -> None:
    assert start(period, now + later) >= start(period, now)


@given(MOMENTS)
def test_a_month_is_28_to_31_days(now: datetime) -> None:
    assert timedelta(days=28) <= now - month_before(now) <= timedelta(days=31)
