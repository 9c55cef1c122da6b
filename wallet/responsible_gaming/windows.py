"""How far a limit looks back: 24 hours, 7 days, or a calendar month. All windows roll, and all are counted in UTC.

What happened at or before a window's start is outside of it. A month begins at the same day and time of the month
before; where that month has no such day, at its end. So a month is 28 to 31 days long, its start never goes back as
time goes on, and clocks put forward or back change nothing.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from wallet.responsible_gaming.events import LimitPeriod

DAY: Final = timedelta(hours=24)
WEEK: Final = timedelta(days=7)


def start(period: LimitPeriod, now: datetime) -> datetime:
    """Return when a window that ends now began. Raises ValueError for a moment without a zone."""
    match period:
        case LimitPeriod.DAY:
            return _utc(now) - DAY
        case LimitPeriod.WEEK:
            return _utc(now) - WEEK
        case LimitPeriod.MONTH:
            return month_before(now)


def leaves_window_at(period: LimitPeriod, at: datetime) -> datetime:
    """Return the first moment at which what happened then no longer counts. Raises ValueError as `start`."""
    match period:
        case LimitPeriod.DAY:
            return _utc(at) + DAY
        case LimitPeriod.WEEK:
            return _utc(at) + WEEK
        case LimitPeriod.MONTH:
            return month_after(at)


def month_before(moment: datetime) -> datetime:
    """Return the same time on the same day of the month before, or that month's end. Raises ValueError."""
    there = _utc(moment)
    first = there.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last_month = first - DAY
    try:
        return there.replace(year=last_month.year, month=last_month.month)
    except ValueError:
        return first


def month_after(moment: datetime, *, months: int = 1) -> datetime:
    """Return the same time on the same day so many months later, or the end of a month without that day.

    Raises ValueError for a moment without a zone.
    """
    there = _utc(moment)
    years, month = divmod(there.month - 1 + months, 12)
    try:
        return there.replace(year=there.year + years, month=month + 1)
    except ValueError:
        years, month = divmod(there.month + months, 12)
        return datetime(there.year + years, month + 1, 1, tzinfo=UTC)


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("A moment needs its zone.")
    return moment.astimezone(UTC)
