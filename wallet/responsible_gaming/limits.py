"""Whether a wager, a seat, a rebuy or a deposit fits the limits that hold. Pure: what was used is given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wallet.responsible_gaming.events import LimitPeriod, LimitType
from wallet.responsible_gaming.state import PlayLimit

SLOT_MINUTES: Final = 5
"""Time is counted in slots of five minutes by the UTC clock: one in which a wager was confirmed is five minutes played.

Wagers of both money_types count, at one table or at several at once; sitting at a table without a wager is not play.
"""

UsageByLimit = Mapping[tuple[LimitType, LimitPeriod], int]


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used in the windows that end now: minor units of real money, minutes of time.

    A loss below zero is a gain. `slot_counted` tells that the present five minutes count as played already.
    """

    used: UsageByLimit = field(default_factory=dict)
    slot_counted: bool = False

    def minutes_added_by_wager(self) -> int:
        """Return by how much one more wager now adds to the time played."""
        return 0 if self.slot_counted else SLOT_MINUTES


@dataclass(frozen=True, slots=True)
class ExceededLimit:
    """A limit that does not let `needed` more through, beside what is `used`."""

    limit: PlayLimit
    used: int
    needed: int

    @property
    def remaining(self) -> int:
        """Return what the limit still lets through."""
        return self.limit.limit - self.used

    @property
    def shortfall(self) -> int:
        """Return how much has to leave the window before it fits."""
        return self.needed - self.remaining


def find_exceeded_limit(
    limits: Mapping[tuple[LimitType, LimitPeriod], PlayLimit], used: UsageByLimit, needs: Mapping[LimitType, int]
) -> ExceededLimit | None:
    """Return the limit in the way that has the least left, None where all that is needed fits.

    Only measures named in `needs` with more than zero are looked at.
    """
    found = [
        ExceededLimit(limit, used.get(key, 0), needs[key[0]])
        for key, limit in limits.items()
        if needs.get(key[0], 0) > 0
    ]
    in_the_way = [each for each in found if each.shortfall > 0]
    return min(in_the_way, key=lambda each: (each.remaining, each.limit.limit_type, each.limit.period), default=None)


def wager_usage(*, staked: int, real_money: bool, usage: Usage) -> dict[LimitType, int]:
    """Tell what a wager of `staked` minor units uses up. Until it is settled it counts as lost."""
    needs = {LimitType.TIME: usage.minutes_added_by_wager()}
    return {**needs, LimitType.STAKE: staked, LimitType.LOSS: staked} if real_money else needs


def buy_in_usage(*, amount: int, real_money: bool, usage: Usage) -> dict[LimitType, int]:
    """Tell what has to be left for sitting down or a rebuy that moves so much: enough for some wager."""
    return wager_usage(staked=min(amount, 1), real_money=real_money, usage=usage) if amount or not real_money else {}
