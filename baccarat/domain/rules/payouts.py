"""Settlement of one seat's wager by the coup that was dealt, and the commission on what spots win."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.table_rules import Commission, SpotRules, TableRules
from baccarat.domain.rules.wagers import Stakes


class StakeResult(StrEnum):
    """Result of a stake: won, lost, or returned unchanged."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"


class InvalidStake(ValueError):
    """The stake is not on a spot of this layout, or is not a positive amount."""


@dataclass(frozen=True, slots=True)
class SpotResult:
    """One stake's result in minor units: what it won before commission, and what is returned, the stake included."""

    spot: str
    stake: int
    result: StakeResult
    won: int
    commission: int
    returned: int


class Settlement(NamedTuple):
    """One wager's results in minor units, `returned` net of commission: where that is `deferred`, it is set aside."""

    results: tuple[SpotResult, ...]
    staked: int
    won: int
    commission: int
    deferred: bool
    returned: int


# Bound once: member look-up on an enum class is slow.
_WIN, _LOSE, _PUSH = StakeResult.WIN, StakeResult.LOSE, StakeResult.PUSH


def settle(rules: TableRules, stakes: Stakes, coup: Coup) -> Settlement:
    """Settle one seat's wager: stakes and results in minor units, results in the order of the spots.

    Wins at odds that do not divide evenly are rounded half up to the minor unit. Raises InvalidStake for a spot that is
    not on the layout and for a stake that is not positive.
    """
    results = []
    staked = won = owed = returned = 0
    for spot in rules.spots:
        stake = stakes.get(spot.name)
        if stake is None:
            continue
        result = _spot_result(spot, stake, coup, lowest_chip=rules.chips[0])
        results.append(result)
        staked += stake
        won += result.won
        owed += result.commission
        returned += result.returned
    if len(results) != len(stakes):
        raise InvalidStake(f"This layout does not have all of the spots {sorted(stakes)}.")
    return Settlement(tuple(results), staked, won, owed, rules.defers_commission, returned)


def _spot_result(spot: SpotRules, stake: int, coup: Coup, *, lowest_chip: int) -> SpotResult:
    if stake <= 0:
        raise InvalidStake(f"A stake must be positive; {stake} is on {spot.name}.")
    line = spot.line(coup)
    if line is None:
        return SpotResult(spot.name, stake, _LOSE, 0, 0, 0)
    odds = line.pays
    if odds is None:
        return SpotResult(spot.name, stake, _PUSH, 0, 0, stake)
    won = (2 * stake * odds.numerator + odds.denominator) // (2 * odds.denominator)
    owed = 0 if spot.commission is None else charge_commission(spot.commission, won=won, lowest_chip=lowest_chip)
    return SpotResult(spot.name, stake, _WIN, won, owed, stake + won - owed)


def charge_commission(commission: Commission, *, won: int, lowest_chip: int) -> int:
    """Return the commission on what one player's stake wins in one round, all in minor units.

    With a rounding unit, round up to its next multiple, then up to the minor unit if the unit is finer. Round exact
    commission half up to the minor unit. It never exceeds the win. The arithmetic is exact and rounds once (rules,
    section 1, readings).
    """
    owed, per = won * commission.rate.numerator, commission.rate.denominator
    unit = commission.rounding
    if unit is None:
        return (2 * owed + per) // (2 * per)
    size = unit.numerator * lowest_chip
    units = -(-owed * unit.denominator // (per * size))
    return min(won, -(-units * size // unit.denominator))


def is_finer_than_minor_unit(rules: TableRules) -> bool:
    """Return whether these chips can win an exact commission that is not a whole number of minor units."""
    return any(
        chip
        * spot.commission.rate.numerator
        * line.pays.numerator
        % (spot.commission.rate.denominator * line.pays.denominator)
        for spot in rules.spots
        if spot.commission is not None and spot.commission.rounding is None
        for line in spot.lines
        if line.pays is not None
        for chip in rules.chips
    )
