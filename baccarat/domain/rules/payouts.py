"""Settlement of one seat's wager once the outcome is known, and the commission on Banker wins."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.table_rules import Commission, CommissionTiming, Ratio, TableRules
from baccarat.domain.rules.wagers import Spot, Stakes


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

    spot: Spot
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


# A tie pushes Player and Banker (rules, section 1). Bound once: member look-up on an enum class is slow.
_WIN, _LOSE, _PUSH = StakeResult.WIN, StakeResult.LOSE, StakeResult.PUSH
_PLAYER, _BANKER = Spot.PLAYER, Spot.BANKER
_DEFERRED: Final = CommissionTiming.DEFERRED
RESULTS: Final[dict[Outcome, tuple[tuple[Spot, StakeResult], ...]]] = {
    Outcome.PLAYER: ((Spot.PLAYER, _WIN), (Spot.BANKER, _LOSE), (Spot.TIE, _LOSE)),
    Outcome.BANKER: ((Spot.PLAYER, _LOSE), (Spot.BANKER, _WIN), (Spot.TIE, _LOSE)),
    Outcome.TIE: ((Spot.PLAYER, _PUSH), (Spot.BANKER, _PUSH), (Spot.TIE, _WIN)),
}


def odds_for(rules: TableRules, spot: Spot) -> Ratio:
    """Return the odds paid on a winning stake on a spot, before commission."""
    if spot is _BANKER:
        return rules.banker_pays
    return rules.player_pays if spot is _PLAYER else rules.tie_pays


def settle(rules: TableRules, stakes: Stakes, outcome: Outcome) -> Settlement:
    """Settle one seat's wager: stakes and results in minor units, results in the order of the spots.

    Wins at odds that do not divide evenly are rounded half up to the minor unit. Raises InvalidStake for a spot that is
    not on the layout and for a stake that is not positive.
    """
    commission = rules.commission
    deferred = commission is not None and commission.timing is _DEFERRED
    results = []
    staked = won = owed = returned = 0
    for spot, result in RESULTS[outcome]:
        stake = stakes.get(spot)
        if stake is None:
            continue
        spot_result = _spot_result(rules, spot, stake, result)
        results.append(spot_result)
        staked += stake
        won += spot_result.won
        owed += spot_result.commission
        returned += spot_result.returned
    if len(results) != len(stakes):
        raise InvalidStake(f"This layout does not have all of the spots {sorted(stakes)}.")
    return Settlement(tuple(results), staked, won, owed, deferred, returned)


def _spot_result(rules: TableRules, spot: Spot, stake: int, result: StakeResult) -> SpotResult:
    if stake <= 0:
        raise InvalidStake(f"A stake must be positive; {stake} is on {spot}.")
    if result is _LOSE:
        return SpotResult(spot, stake, _LOSE, 0, 0, 0)
    if result is _PUSH:
        return SpotResult(spot, stake, _PUSH, 0, 0, stake)
    ratio = odds_for(rules, spot)
    won = (2 * stake * ratio.numerator + ratio.denominator) // (2 * ratio.denominator)
    owed = 0
    if spot is _BANKER and rules.commission is not None:
        owed = charge_commission(rules.commission, won=won, lowest_chip=rules.chips[0])
    return SpotResult(spot, stake, _WIN, won, owed, stake + won - owed)


def charge_commission(commission: Commission, *, won: int, lowest_chip: int) -> int:
    """Return the commission on one player's Banker win in one round, all in minor units.

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
    commission = rules.commission
    if commission is None or commission.rounding is not None:
        return False
    share = commission.rate.numerator * rules.banker_pays.numerator
    whole = commission.rate.denominator * rules.banker_pays.denominator
    return any(chip * share % whole for chip in rules.chips)
