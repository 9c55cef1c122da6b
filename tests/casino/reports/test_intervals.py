"""Intervals begin and end at midnight in the operator's time zone."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.reports.intervals import ReportPeriod, between, day_of, last_interval, lifetime_interval, period_interval
from casino.reports.refusals import IntervalInvalid
from tests.support.depth import examples

VIENNA = "Europe/Vienna"


def test_a_day_begins_at_midnight_of_its_time_zone() -> None:
    day = period_interval(ReportPeriod.DAY, day=date(2026, 11, 20), zone=VIENNA)
    assert (day.since, day.until) == (datetime(2026, 11, 19, 23, tzinfo=UTC), datetime(2026, 11, 20, 23, tzinfo=UTC))
    assert day.label == "2026-11-20"


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_a_day_has_23_or_25_hours_when_daylight_saving_time_changes(day: date, hours: int) -> None:
    interval = period_interval(ReportPeriod.DAY, day=day, zone=VIENNA)
    assert interval.until - interval.since == timedelta(hours=hours)


@settings(max_examples=examples(10))
@given(day=st.dates(date(2001, 1, 1), date(2090, 12, 1)), zone=st.sampled_from((VIENNA, "UTC", "America/New_York")))
def test_the_days_of_a_month_and_the_months_of_a_year_leave_no_gap(day: date, zone: str) -> None:
    for larger, smaller in ((ReportPeriod.MONTH, ReportPeriod.DAY), (ReportPeriod.YEAR, ReportPeriod.MONTH)):
        whole = period_interval(larger, day=day, zone=zone)
        at = whole.since
        while at < whole.until:
            part = period_interval(smaller, day=day_of(at, zone), zone=zone)
            assert part.since == at
            at = part.until
        assert at == whole.until


def test_labels_are_in_the_operators_time_zone() -> None:
    assert period_interval(ReportPeriod.MONTH, day=date(2026, 11, 20), zone=VIENNA).label == "2026-11"
    assert period_interval(ReportPeriod.YEAR, day=date(2026, 11, 20), zone=VIENNA).label == "2026"
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    assert lifetime_interval(until=noon, zone=VIENNA).label == "to 2026-11-20 13:00:00"
    interval = between(since=noon, until=noon + timedelta(hours=1), zone=VIENNA)
    assert interval.label == "2026-11-20 13:00:00 to 2026-11-20 14:00:00"


def test_an_interval_ends_after_it_begins() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    with pytest.raises(IntervalInvalid):
        between(since=noon, until=noon, zone=VIENNA)
    with pytest.raises(IntervalInvalid):
        period_interval(ReportPeriod.LIFETIME, day=date(2026, 11, 20), zone=VIENNA)


@pytest.mark.parametrize("day", [date(1, 1, 1), date(1999, 12, 31), date(9999, 12, 31)])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_days_outside_the_supported_years_are_refused_in_every_time_zone(day: date, zone: str) -> None:
    for period in (ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR):
        with pytest.raises(IntervalInvalid):
            period_interval(period, day=day, zone=zone)
    with pytest.raises(IntervalInvalid):
        between(since=datetime(2026, 1, 1, tzinfo=UTC), until=datetime(9999, 12, 31, 23, tzinfo=UTC), zone=zone)
    assert period_interval(ReportPeriod.YEAR, day=date(9998, 12, 31), zone=zone).label == "9998"


@pytest.mark.parametrize(
    ("period", "last"), [(ReportPeriod.DAY, "2026-02-28"), (ReportPeriod.MONTH, "2026-02"), (ReportPeriod.YEAR, "2025")]
)
def test_the_last_period_is_over_in_the_operators_zone(period: ReportPeriod, last: str) -> None:
    now = datetime.fromisoformat("2026-02-28T11:30:00Z")  # 1 March in Auckland
    assert last_interval(period, now=now, zone="Pacific/Auckland").label == last
