"""Amounts that a table's chips can make up."""

import heapq
from functools import lru_cache
from math import gcd

from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.errors import Refusal, RefusalKind


class AmountNotInChips(Refusal):
    code = "amount_not_in_chips"
    kind = RefusalKind.INVALID
    title = "The table's chips can't make up this amount"
    remedy = "Send an amount that the table's chips add up to."


def is_makeable(amount: int, rules: TableRules) -> bool:
    """Return whether the table's chips can make up an amount in minor units."""
    return amount > 0 and _adds_up(amount, rules.chips)


def breakdown(amount: int, chips: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return `(chip, count)` from the largest chip down, as many of each as possible.

    `amount` and `chips` (ascending) are in minor units. Raises AmountNotInChips.
    """
    if amount < 0 or not _adds_up(amount, chips):
        raise AmountNotInChips(f"No chips of {chips} add up to {amount} minor units.", amount=amount)
    stacks: list[tuple[int, int]] = []
    for place in range(len(chips) - 1, -1, -1):
        count = amount // chips[place]
        while not _adds_up(amount - count * chips[place], chips[:place]):
            count -= 1
        if count:
            stacks.append((chips[place], count))
            amount -= count * chips[place]
    return tuple(stacks)


def _adds_up(amount: int, chips: tuple[int, ...]) -> bool:
    if not chips:
        return amount == 0
    if amount % chips[0] == 0:
        return True
    least = _least_by_remainder(chips).get(amount % chips[0])
    return least is not None and least <= amount


@lru_cache(maxsize=1024)
def _least_by_remainder(chips: tuple[int, ...]) -> dict[int, int]:
    """Return the least makeable amount for each remainder by the lowest chip; lowest chips make up all larger ones.

    Source: the Apery set of a numerical semigroup, found as shortest paths (Nijenhuis, "A minimal-path algorithm for
    the money changing problem", American Mathematical Monthly 86, 1979).
    """
    step = gcd(*chips)
    lowest = chips[0] // step
    least = {0: 0}
    heap = [0]
    while heap:
        amount = heapq.heappop(heap)
        if least[amount % lowest] < amount:
            continue
        for chip in chips[1:]:
            reached = amount + chip // step
            if reached < least.get(reached % lowest, reached + 1):
                least[reached % lowest] = reached
                heapq.heappush(heap, reached)
    return {remainder * step: amount * step for remainder, amount in least.items()}
