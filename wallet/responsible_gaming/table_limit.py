"""The limit that a player sets on stakes per spot, in all games. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from wallet.responsible_gaming.betting_week import BettingWeek
from wallet.responsible_gaming.events import TableLimitSet
from wallet.responsible_gaming.table_limit_refusals import (
    OverOwnTableLimit,
    TableLimitChangedThisWeek,
    TableLimitUnchanged,
)


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
