"""Bounds of accounting days, which have 23 or 25 hours when clocks change. Pure."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def bounds(day: date, zone: str) -> tuple[datetime, datetime]:
    """Return the start of a day and of the next one, in UTC; `zone` is an IANA name."""
    return _midnight(day, zone), _midnight(day + timedelta(days=1), zone)


def day_of(moment: datetime, zone: str) -> date:
    return moment.astimezone(ZoneInfo(zone)).date()


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)
