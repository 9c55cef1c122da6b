"""Wagers: stakes by spot, and the amounts that a table's chips can make up."""

import heapq
from collections.abc import Mapping
from functools import lru_cache
from math import gcd
from typing import TypeAlias

from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.errors import Invalid
from casino.kernel.money import format_amount

Stakes: TypeAlias = Mapping[str, int]
"""One seat's stakes in a round, by spot, each a positive number of minor units."""


class AmountNotInChips(Invalid):
    title = "The table's chips can't make up this amount"
    remedy = "Send an amount that the table's chips add up to."
    fact_types = {"chips": list[str], "currency": str}


def is_makeable(amount: int, rules: TableRules) -> bool:
    """Return whether the table's chips can make up an amount in minor units."""
    remainder = amount % rules.chips[0]
    if amount <= 0 or not remainder:
        return amount > 0
    smallest = _smallest_by_remainder(rules.chips).get(remainder)
    return smallest is not None and smallest <= amount


def require_makeable(amount: int, rules: TableRules) -> None:
    """Check that the table's chips can make up an amount in minor units. Raises AmountNotInChips."""
    if not is_makeable(amount, rules):
        raise AmountNotInChips(
            chips=[format_amount(chip, rules.currency) for chip in rules.chips], currency=rules.currency
        )


@lru_cache(maxsize=1024)
def _smallest_by_remainder(chips: tuple[int, ...]) -> dict[int, int]:
    """Return the smallest makeable amount for each remainder by the lowest chip; lowest chips make up all larger ones.

    Source: the Apery set of a numerical semigroup, found as shortest paths (Nijenhuis, "A minimal-path algorithm for
    the money changing problem", American Mathematical Monthly 86, 1979).
    """
    step = gcd(*chips)
    lowest = chips[0] // step
    smallest = {0: 0}
    heap = [0]
    while heap:
        amount = heapq.heappop(heap)
        if smallest[amount % lowest] < amount:
            continue
        for chip in chips[1:]:
            reached = amount + chip // step
            if reached < smallest.get(reached % lowest, reached + 1):
                smallest[reached % lowest] = reached
                heapq.heappush(heap, reached)
    return {remainder * step: amount * step for remainder, amount in smallest.items()}
