"""Accounting days: where they begin and end. Pure; a day has 23 or 25 hours where clocks are put forward or back."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def bounds(day: date, zone: str) -> tuple[datetime, datetime]:
    """Return when a day begins and when the next does, in UTC; `zone` is an IANA name."""
    return _midnight(day, zone), _midnight(day + timedelta(days=1), zone)


def day_of(moment: datetime, zone: str) -> date:
    return moment.astimezone(ZoneInfo(zone)).date()


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
