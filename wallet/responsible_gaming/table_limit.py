"""The limit that a player sets on stakes per spot, in all games. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind
from wallet.responsible_gaming.betting_week import BettingWeek
from wallet.responsible_gaming.events import TableLimitSet


class OverOwnTableLimit(Refusal):
    """A stake exceeds the player's limit, in minor units, which may change from `next_change_at` on."""

    code = "over_own_table_limit"
    kind = RefusalKind.INVALID
    title = "The stake is over the limit that the player has set"
    remedy = "Stake at most the limit on each spot; it can be changed at `next_change_at`."

    def __init__(self, *, limit: int, currency: str, next_change_at: datetime) -> None:
        amount = money.format_amount(limit, currency)
        super().__init__(
            f"Your own limit is {amount} {currency} on a spot.",
            limit=amount,
            currency=currency,
            next_change_at=next_change_at,
        )


class TableLimitChangedThisWeek(Refusal):
    code = "table_limit_changed_this_week"
    title = "The limit was already changed in this betting week"
    remedy = "Change it again at `next_change_at`."


class TableLimitUnchanged(Refusal):
    code = "table_limit_unchanged"
    title = "This limit is already set"
    remedy = "Send another limit, or leave it as it is: it changes once in a betting week."


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
