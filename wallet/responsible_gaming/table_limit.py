"""The limit that a player sets on stakes per spot, in all games; it changes once in a betting week. Pure.

A betting week begins by default on Friday 00:00 EST (UTC-5). Source: the printed rules, "a betting week begins on
Friday 00:00 EST". The offset from UTC is fixed, so daylight saving time never makes a week longer or shorter.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final
from uuid import UUID

from casino.kernel import money
from casino.kernel.errors import Amount, Invalid, Refusal
from wallet.responsible_gaming.events import TableLimitSet

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEK: Final = timedelta(days=7)
_BETTING_WEEK: Final = re.compile(
    rf"({'|'.join(DAYS)}) ([01][0-9]|2[0-3]):([0-5][0-9]) ([+-])(0[0-9]|1[0-4]):([0-5][0-9])", re.ASCII
)


@dataclass(frozen=True, slots=True)
class BettingWeek:
    """A week that begins `minutes` after midnight on a weekday (Monday is 0), in the zone `offset` from UTC."""

    weekday: int
    minutes: int
    offset: timedelta

    def start_of(self, moment: datetime) -> datetime:
        """Return when the week of a moment began, in UTC. Raises ValueError for a moment without a zone."""
        if moment.tzinfo is None:
            raise ValueError("A moment needs its zone.")
        local = moment.astimezone(timezone(self.offset))
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        begin = midnight + timedelta(days=self.weekday - local.weekday(), minutes=self.minutes)
        if begin > local:
            begin -= WEEK
        if begin <= local - WEEK:
            begin += WEEK
        return begin.astimezone(UTC)

    def next_start(self, moment: datetime) -> datetime:
        """Return when the next week begins, always after the moment. Raises ValueError as `start_of`."""
        return self.start_of(moment) + WEEK


def parse_betting_week(text: str) -> BettingWeek:
    """Parse "friday 00:00 -05:00": weekday, time of day, offset from UTC. Raises ValueError."""
    match = _BETTING_WEEK.fullmatch(text)
    if match is None:
        raise ValueError(f'A betting week is written "friday 00:00 -05:00", not {text!r}.')
    day, hour, minute, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return BettingWeek(DAYS.index(day), int(hour) * 60 + int(minute), -offset if sign == "-" else offset)


class OverOwnTableLimit(Invalid):
    """A stake exceeds the player's limit, in minor units, which may change from `next_change_at` on."""

    title = "The stake is over the limit that the player has set"
    remedy = "Stake at most the limit on each spot; it can be changed at `next_change_at`."
    fact_types = {"limit": Amount, "currency": str, "next_change_at": datetime | None}

    def __init__(self, *, limit: int, currency: str, next_change_at: datetime) -> None:
        amount = money.format_amount(limit, currency)
        super().__init__(
            f"Your own limit is {amount} {currency} on a spot.",
            limit=amount,
            currency=currency,
            next_change_at=next_change_at,
        )


class TableLimitChangedThisWeek(Refusal):
    title = "The limit was already changed in this betting week"
    remedy = "Change it again at `next_change_at`."
    fact_types = {"next_change_at": datetime}


class TableLimitUnchanged(Refusal):
    title = "This limit is already set"
    remedy = "Send another limit; it can change once in a betting week."


@dataclass(frozen=True, slots=True)
class PersonalTableLimit:
    """At most `amount` minor units per spot, None for no limit; it may change from `next_change_at` on."""

    amount: int | None
    currency: str
    set_at: datetime
    next_change_at: datetime


def set_limit(
    current: PersonalTableLimit | None,
    *,
    operator: UUID,
    player: UUID,
    currency: str,
    amount: int | None,
    now: datetime,
    week: BettingWeek,
) -> TableLimitSet:
    """Change the limit to `amount` minor units; None removes it.

    Raises TableLimitChangedThisWeek, and TableLimitUnchanged, so that the same limit again does not use up the week.
    """
    if current is not None and now < current.next_change_at:
        raise TableLimitChangedThisWeek(next_change_at=current.next_change_at)
    if amount == (None if current is None else current.amount):
        raise TableLimitUnchanged
    return TableLimitSet(operator, player, currency, amount, now, week.next_start(now))


def limit_from_event(event: TableLimitSet) -> PersonalTableLimit:
    return PersonalTableLimit(event.amount, event.currency, event.at, event.next_change_at)


def require_within(limit: PersonalTableLimit | None, stakes: Iterable[int]) -> None:
    """Check stakes, in minor units per spot, against a player's limit. Raises OverOwnTableLimit."""
    if limit is None or limit.amount is None:
        return
    if any(stake > limit.amount for stake in stakes):
        raise OverOwnTableLimit(limit=limit.amount, currency=limit.currency, next_change_at=limit.next_change_at)
