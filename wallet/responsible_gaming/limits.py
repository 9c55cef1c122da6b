"""Whether a wager, a seat, a rebuy or a deposit fits the limits that hold. Pure: what was used is given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wallet.responsible_gaming.events import Measure, Period
from wallet.responsible_gaming.state import Limit

SLOT_MINUTES: Final = 5
"""Time is counted in slots of five minutes by the UTC clock: one in which a wager was confirmed is five minutes played.

Wagers of both books count, at one table or at several at once; sitting at a table without a wager is not play.
"""

Used = Mapping[tuple[Measure, Period], int]


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used in the windows that end now: minor units of real money, minutes of time.

    A loss below zero is a gain. `slot_counted` tells that the present five minutes count as played already.
    """

    used: Used = field(default_factory=dict)
    slot_counted: bool = False

    def minutes_for_a_wager(self) -> int:
        """Return by how much one more wager now adds to the time played."""
        return 0 if self.slot_counted else SLOT_MINUTES


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that does not let `needed` more through, beside what is `used`."""

    limit: Limit
    used: int
    needed: int

    @property
    def left(self) -> int:
        """Return what the limit still lets through."""
        return self.limit.most - self.used

    @property
    def over(self) -> int:
        """Return how much has to leave the window before it fits."""
        return self.needed - self.left


def first_excess(
    limits: Mapping[tuple[Measure, Period], Limit], used: Used, needs: Mapping[Measure, int]
) -> Excess | None:
    """Return the limit in the way that has the least left, None where all that is needed fits.

    Only measures named in `needs` with more than zero are looked at.
    """
    found = [
        Excess(limit, used.get(key, 0), needs[key[0]]) for key, limit in limits.items() if needs.get(key[0], 0) > 0
    ]
    in_the_way = [each for each in found if each.over > 0]
    return min(in_the_way, key=lambda each: (each.left, each.limit.measure, each.limit.period), default=None)


def wager_needs(*, staked: int, real: bool, usage: Usage) -> dict[Measure, int]:
    """Tell what a wager of `staked` minor units uses up. Until it is settled it counts as lost."""
    needs = {Measure.TIME: usage.minutes_for_a_wager()}
    return {**needs, Measure.STAKE: staked, Measure.LOSS: staked} if real else needs


def entry_needs(*, moved: int, real: bool, usage: Usage) -> dict[Measure, int]:
    """Tell what has to be left for sitting down or a rebuy that moves so much: enough for some wager."""
    return wager_needs(staked=min(moved, 1), real=real, usage=usage) if moved or not real else {}
