"""Check wagers, buy-ins and deposits against limits and usage. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.state import PlayLimit

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
    """A limit that `needed` would exceed, given what is `used`."""

    limit: PlayLimit
    used: int
    needed: int

    @property
    def remaining(self) -> int:
        """What may still be used."""
        return self.limit.limit - self.used

    @property
    def shortfall(self) -> int:
        """How much has to leave the window before `needed` fits."""
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
    """Return what a wager of `staked` minor units uses; until it is settled it counts as lost."""
    needs = {LimitType.TIME: usage.minutes_added_by_wager()}
    return {**needs, LimitType.STAKE: staked, LimitType.LOSS: staked} if real_money else needs


def buy_in_usage(*, amount: int, real_money: bool, usage: Usage) -> dict[LimitType, int]:
    """Return what has to remain for a buy-in or rebuy: enough for the smallest wager."""
    return wager_usage(staked=min(amount, 1), real_money=real_money, usage=usage) if amount or not real_money else {}
