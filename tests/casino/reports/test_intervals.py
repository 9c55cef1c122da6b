"""Intervals begin and end where an operator counts its days."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.reports.intervals import Period, between, day_of, life, of_period
from casino.reports.refusals import IntervalInvalid

VIENNA = "Europe/Vienna"


def test_a_day_begins_at_midnight_of_its_time_zone() -> None:
    day = of_period(Period.DAY, day=date(2026, 11, 20), zone=VIENNA)
    assert (day.since, day.until) == (datetime(2026, 11, 19, 23, tzinfo=UTC), datetime(2026, 11, 20, 23, tzinfo=UTC))
    assert day.label == "2026-11-20"


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_a_day_is_as_long_as_the_clocks_make_it(day: date, hours: int) -> None:
    found = of_period(Period.DAY, day=day, zone=VIENNA)
    assert found.until - found.since == timedelta(hours=hours)


@settings(max_examples=10)
@given(day=st.dates(date(2001, 1, 1), date(2090, 12, 1)), zone=st.sampled_from((VIENNA, "UTC", "America/New_York")))
def test_the_days_of_a_month_and_the_months_of_a_year_leave_no_gap(day: date, zone: str) -> None:
    for larger, smaller in ((Period.MONTH, Period.DAY), (Period.YEAR, Period.MONTH)):
        whole = of_period(larger, day=day, zone=zone)
        at = whole.since
        while at < whole.until:
            part = of_period(smaller, day=day_of(at, zone), zone=zone)
            assert part.since == at
            at = part.until
        assert at == whole.until


def test_labels_say_it_in_the_operators_time() -> None:
    assert of_period(Period.MONTH, day=date(2026, 11, 20), zone=VIENNA).label == "2026-11"
    assert of_period(Period.YEAR, day=date(2026, 11, 20), zone=VIENNA).label == "2026"
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert life(until=noon, zone=VIENNA).label == "to 2026-11-20 13:00:00"
    some = between(since=noon, until=noon + timedelta(hours=1), zone=VIENNA)
    assert some.label == "2026-11-20 13:00:00 to 2026-11-20 14:00:00"


def test_an_interval_ends_after_it_begins() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    with pytest.raises(IntervalInvalid):
        between(since=noon, until=noon, zone=VIENNA)
    with pytest.raises(IntervalInvalid):
        of_period(Period.LIFE, day=date(2026, 11, 20), zone=VIENNA)


@pytest.mark.parametrize("day", [date(1, 1, 1), date(1999, 12, 31), date(9999, 12, 31)])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_days_at_the_ends_of_all_calendars_are_refused_in_every_time_zone(day: date, zone: str) -> None:
    for period in (Period.DAY, Period.MONTH, Period.YEAR):
        with pytest.raises(IntervalInvalid):
            of_period(period, day=day, zone=zone)
    with pytest.raises(IntervalInvalid):
        between(since=datetime(2026, 1, 1, tzinfo=UTC), until=datetime(9999, 12, 31, 23, tzinfo=UTC), zone=zone)
    assert of_period(Period.YEAR, day=date(9998, 12, 31), zone=zone).label == "9998"
