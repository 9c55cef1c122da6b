"""Windows of limits, and checks of wagers, buy-ins and deposits against limits and usage. Pure.

A window ends now and begins 24 hours, 7 days or a calendar month ago, in UTC; an event exactly at its start no longer
counts. A month begins at the same day and time of the month before, or at that month's end if it has no such day: it
is 28 to 31 days long, and its start never moves back as time passes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.state import PlayLimit

DAY: Final = timedelta(hours=24)
WEEK: Final = timedelta(days=7)


def window_start(period: LimitPeriod, now: datetime) -> datetime:
    """Return when a window that ends now began. Raises ValueError for a moment without a zone."""
    match period:
        case LimitPeriod.DAY:
            return _utc(now) - DAY
        case LimitPeriod.WEEK:
            return _utc(now) - WEEK
        case LimitPeriod.MONTH:
            return month_before(now)


def leaves_window_at(period: LimitPeriod, at: datetime) -> datetime:
    """Return the first moment at which an event at this time no longer counts. Raises ValueError as `window_start`."""
    match period:
        case LimitPeriod.DAY:
            return _utc(at) + DAY
        case LimitPeriod.WEEK:
            return _utc(at) + WEEK
        case LimitPeriod.MONTH:
            return month_after(at)


def month_before(moment: datetime) -> datetime:
    """Return the same time on the same day of the month before, or that month's end. Raises ValueError."""
    moment = _utc(moment)
    first = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last_month = first - DAY
    try:
        return moment.replace(year=last_month.year, month=last_month.month)
    except ValueError:
        return first


def month_after(moment: datetime, *, months: int = 1) -> datetime:
    """Return the same time on the same day so many months later, or the end of a month without that day.

    Raises ValueError for a moment without a zone.
    """
    moment = _utc(moment)
    years, month = divmod(moment.month - 1 + months, 12)
    try:
        return moment.replace(year=moment.year + years, month=month + 1)
    except ValueError:
        years, month = divmod(moment.month + months, 12)
        return datetime(moment.year + years, month + 1, 1, tzinfo=UTC)


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("A moment needs its zone.")
    return moment.astimezone(UTC)


SLOT_MINUTES: Final = 5
"""Time played is counted in slots of five UTC minutes with at least one confirmed wager.

Wagers of both money types count, at one table or at several at once; sitting at a table without a wager does not.
"""

UsageByLimit = Mapping[tuple[LimitType, LimitPeriod], int]


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage in the windows that end now: minor units of real money, minutes of time.

    A negative loss is a gain. `slot_counted` is true when the current five minutes count as played already.
    """

    used: UsageByLimit = field(default_factory=dict)
    slot_counted: bool = False

    def minutes_added_by_wager(self) -> int:
        """Return how many minutes one more wager now adds to the time played."""
        return 0 if self.slot_counted else SLOT_MINUTES


@dataclass(frozen=True, slots=True)
class ExceededLimit:
    """A limit of which `used` is taken, and the `needed` amount that would exceed it."""

    limit: PlayLimit
    used: int
    needed: int

    @property
    def remaining(self) -> int:
        """The amount that remains."""
        return self.limit.limit - self.used

    @property
    def shortfall(self) -> int:
        """The amount that has to leave the window before `needed` fits."""
        return self.needed - self.remaining


def find_exceeded_limit(
    limits: Mapping[tuple[LimitType, LimitPeriod], PlayLimit], used: UsageByLimit, needs: Mapping[LimitType, int]
) -> ExceededLimit | None:
    """Return the exceeded limit with the least remaining, or None.

    Only limit types that `needs` more than zero of are checked.
    """
    candidates = [
        ExceededLimit(limit, used.get(key, 0), needs[key[0]])
        for key, limit in limits.items()
        if needs.get(key[0], 0) > 0
    ]
    exceeded = [candidate for candidate in candidates if candidate.shortfall > 0]
    return min(exceeded, key=lambda each: (each.remaining, each.limit.limit_type, each.limit.period), default=None)


def wager_usage(*, staked: int, real_money: bool, usage: Usage) -> dict[LimitType, int]:
    """Return the usage of a wager of `staked` minor units, which counts as lost until it is settled."""
    needs = {LimitType.TIME: usage.minutes_added_by_wager()}
    return {**needs, LimitType.STAKE: staked, LimitType.LOSS: staked} if real_money else needs


def buy_in_usage(*, amount: int, real_money: bool, usage: Usage) -> dict[LimitType, int]:
    """Return the usage that must fit for a buy-in or rebuy: that of the smallest wager."""
    return wager_usage(staked=min(amount, 1), real_money=real_money, usage=usage) if amount or not real_money else {}
