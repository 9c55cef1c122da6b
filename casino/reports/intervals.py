"""The interval that a report covers: a day, month or year in the operator's time zone, its lifetime, or any other.

Bounds are in UTC, the first included and the last not, so that days add up to their month; a day has 23 or 25 hours
when daylight saving time begins or ends.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from casino.reports.refusals import IntervalInvalid

BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Before anything was recorded; where a lifetime report begins."""
END: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""The end of the years that every time zone can represent."""


class ReportPeriod(StrEnum):
    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    LIFETIME = "lifetime"
    INTERVAL = "interval"


@dataclass(frozen=True, slots=True)
class Interval:
    """From `since` until before `until`, both in UTC; `zone` is the IANA name of the operator's time zone."""

    period: ReportPeriod
    since: datetime
    until: datetime
    zone: str

    @property
    def label(self) -> str:
        """The interval in the operator's time zone: `2026-11-20`, `2026-11`, `2026`, or both ends."""
        first = self.since.astimezone(ZoneInfo(self.zone))
        if self.period is ReportPeriod.DAY:
            return first.date().isoformat()
        if self.period is ReportPeriod.MONTH:
            return first.strftime("%Y-%m")
        if self.period is ReportPeriod.YEAR:
            return first.strftime("%Y")
        last = f"{self.until.astimezone(ZoneInfo(self.zone)):%Y-%m-%d %H:%M:%S}"
        return f"to {last}" if self.period is ReportPeriod.LIFETIME else f"{first:%Y-%m-%d %H:%M:%S} to {last}"


def period_interval(period: ReportPeriod, *, day: date, zone: str) -> Interval:
    """Return the day, month or year that contains a day.

    Raises IntervalInvalid for other periods, and for days before BEGINNING or after END.
    """
    if not BEGINNING.year <= day.year < END.year:
        raise IntervalInvalid(f"Nothing is recorded of {day}.")
    first, following = _edges(period, day)
    return Interval(period, _midnight(first, zone), _midnight(following, zone), zone)


def last_interval(period: ReportPeriod, *, now: datetime, zone: str) -> Interval:
    """Return the last day, month or year that is over. Raises IntervalInvalid for other periods."""
    current = period_interval(period, day=day_of(now, zone), zone=zone)
    return period_interval(period, day=day_of(current.since, zone) - timedelta(days=1), zone=zone)


def lifetime_interval(*, until: datetime, zone: str) -> Interval:
    """Return the interval of everything before a time."""
    return Interval(ReportPeriod.LIFETIME, BEGINNING, until, zone)


def between(*, since: datetime, until: datetime, zone: str) -> Interval:
    """Return any interval. Raises IntervalInvalid if it does not end after it begins, or exceeds BEGINNING or END."""
    if not BEGINNING <= since < until <= END:
        raise IntervalInvalid("An interval ends after it begins.")
    return Interval(ReportPeriod.INTERVAL, since.astimezone(UTC), until.astimezone(UTC), zone)


def day_of(when: datetime, zone: str) -> date:
    return when.astimezone(ZoneInfo(zone)).date()


def _edges(period: ReportPeriod, day: date) -> tuple[date, date]:
    if period is ReportPeriod.DAY:
        return day, day + timedelta(days=1)
    if period is ReportPeriod.MONTH:
        first = day.replace(day=1)
        return first, (first + timedelta(days=32)).replace(day=1)
    if period is ReportPeriod.YEAR:
        return day.replace(month=1, day=1), day.replace(year=day.year + 1, month=1, day=1)
    raise IntervalInvalid(f"A {period} can't be chosen by a day.")


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
