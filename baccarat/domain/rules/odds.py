"""Exact odds of each spot, from the counts of all draws, and the odds sheet in plain values and sentences."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from baccarat.domain.rules.counting import OutcomeCounts, count_outcomes
from baccarat.domain.rules.coups import Coup, counts_of
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import is_finer_than_minor_unit, settle
from baccarat.domain.rules.spots import line_in_words, spot_title, timing_in_words
from baccarat.domain.rules.table_rules import (
    Commission,
    PayLine,
    Ratio,
    SpotKind,
    SpotRules,
    SpotsPerRound,
    TableRules,
)
from baccarat.domain.rules.wagers import Stakes, is_makeable
from casino.kernel import money

MAX_STAKES_TRIED: Final = 20_000
"""If a house edge is so small that rounding matters beyond this many stakes, it counts as a player edge."""


@dataclass(frozen=True, slots=True)
class SpotFigures:
    """Figures per unit staked: expected return (RTP, stake included), house edge 1 - RTP, variance of the gain."""

    rtp: Fraction
    edge: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class LineOdds:
    """A pay line, and how often it decides."""

    line: PayLine
    chance: Fraction


@dataclass(frozen=True, slots=True)
class SpotOdds:
    """One spot: its pay lines, the probabilities of its results, and its figures.

    `exact` charges commission at its exact rate; `at_minimum` is a stake of the spot's minimum, settled and rounded as
    the table does.
    """

    spot: str
    lines: tuple[LineOdds, ...]
    win: Fraction
    lose: Fraction
    push: Fraction
    exact: SpotFigures
    at_minimum: SpotFigures


@dataclass(frozen=True, slots=True)
class OddsSheet:
    """The odds of one table's rules. `player_edge` lists the spots without a house edge."""

    rules: TableRules
    counts: OutcomeCounts
    spots: tuple[SpotOdds, ...]
    player_edge: tuple[str, ...]

    def spot(self, name: str) -> SpotOdds:
        return next(odds for odds in self.spots if odds.spot == name)


@lru_cache(maxsize=256)
def odds_sheet(rules: TableRules) -> OddsSheet:
    """Return every spot's odds as exact fractions."""
    spots = tuple(_spot_odds(rules, spot) for spot in rules.spots)
    return OddsSheet(rules=rules, counts=count_outcomes(rules.decks), spots=spots, player_edge=player_edge_spots(rules))


@lru_cache(maxsize=256)
def player_edge_spots(rules: TableRules) -> tuple[str, ...]:
    """Return the spots without a house edge, at exact rates or by rounding a permitted stake."""
    return tuple(spot.name for spot in rules.spots if _has_player_edge(rules, spot))


@lru_cache(maxsize=256)
def coups_alike(rules: TableRules) -> tuple[tuple[Coup, Fraction], ...]:
    """Return a coup of each kind that all spots pay alike, and the exact probability of its kind, from full decks."""
    kinds: dict[tuple[PayLine | None, ...], tuple[Coup, int]] = {}
    counts = counts_of(rules.decks)
    for coup, ways in counts.items():
        lines = tuple(spot.line(coup) for spot in rules.spots)
        known = kinds.get(lines)
        kinds[lines] = (coup, ways) if known is None else (known[0], known[1] + ways)
    total = sum(counts.values())
    return tuple((coup, Fraction(ways, total)) for coup, ways in kinds.values())


def expected_return(rules: TableRules, stakes: Stakes) -> Fraction:
    """Return a wager's expected return in minor units: stakes and wins less all commission.

    Deferred commission counts as paid. Raises InvalidStake.
    """
    kinds = coups_alike(rules)
    return sum((chance * settle(rules, stakes, coup).returned for coup, chance in kinds), Fraction(0))


@lru_cache(maxsize=256)
def largest_win(rules: TableRules) -> int:
    """Return the most that one wager can win over its stakes, in minor units: the maximum on each spot that wins."""
    stakes = {spot.name: rules.limits_of(spot)[1] for spot in rules.spots}
    most = 0
    for coup, _ in coups_alike(rules):
        gains = [max(0, each.returned - each.stake) for each in settle(rules, stakes, coup).results]
        most = max(most, max(gains) if rules.spots_per_round is SpotsPerRound.ONE else sum(gains))
    return most


@lru_cache(maxsize=256)
def hands_of_spots(rules: TableRules) -> Mapping[str, Outcome]:
    """Return the main spots that win only if one hand does, with that hand."""
    found = {}
    for spot in rules.spots:
        winners = {coup.winner for coup in counts_of(rules.decks) if (line := spot.line(coup)) and line.pays}
        if spot.kind is SpotKind.MAIN and len(winners) == 1 and Outcome.TIE not in winners:
            found[spot.name] = winners.pop()
    return found


def gain_of(spot: SpotRules, line: PayLine | None) -> Fraction:
    """Return what a unit staked gains by a line, commission charged at its exact rate; -1 without one."""
    if line is None:
        return Fraction(-1)
    if line.pays is None:
        return Fraction(0)
    kept = 1 if spot.commission is None else 1 - as_fraction(spot.commission.rate)
    return as_fraction(line.pays) * kept


def as_fraction(ratio: Ratio) -> Fraction:
    """Return a ratio as a fraction."""
    return Fraction(ratio.numerator, ratio.denominator)


def _line_chances(rules: TableRules, spot: SpotRules) -> dict[PayLine | None, Fraction]:
    chances: dict[PayLine | None, Fraction] = dict.fromkeys((*spot.lines, None), Fraction(0))
    for coup, chance in coups_alike(rules):
        chances[spot.line(coup)] += chance
    return chances


def _spot_odds(rules: TableRules, spot: SpotRules) -> SpotOdds:
    chances = _line_chances(rules, spot)
    pushed = sum((chance for line, chance in chances.items() if line and line.pays is None), Fraction(0))
    return SpotOdds(
        spot=spot.name,
        lines=tuple(LineOdds(line, chances[line]) for line in spot.lines),
        win=1 - pushed - chances[None],
        lose=chances[None],
        push=pushed,
        exact=_figures([(chance, gain_of(spot, line)) for line, chance in chances.items()]),
        at_minimum=figures_at(rules, spot.name, rules.limits_of(spot)[0]),
    )


def figures_at(rules: TableRules, spot: str, stake: int) -> SpotFigures:
    """Return the figures of a stake in minor units, settled and rounded as the table does. Raises InvalidStake."""
    gains = [
        (chance, Fraction(settle(rules, {spot: stake}, coup).returned - stake, stake))
        for coup, chance in coups_alike(rules)
    ]
    return _figures(gains)


def _figures(gains: Iterable[tuple[Fraction, Fraction]]) -> SpotFigures:
    """Return the figures of a unit stake from chances and gains; the variance is E[X^2] - E[X]^2."""
    mean = squares = Fraction(0)
    for chance, gain in gains:
        mean += chance * gain
        squares += chance * gain**2
    return SpotFigures(rtp=1 + mean, edge=-mean, variance=squares - mean**2)


def _has_player_edge(rules: TableRules, spot: SpotRules) -> bool:
    chances = _line_chances(rules, spot)
    edge = -sum((chance * gain_of(spot, line) for line, chance in chances.items()), Fraction(0))
    if edge <= 0:
        return True
    # Rounding changes a win and its commission by at most half a minor unit each, so it cannot outweigh an edge
    # beyond this stake.
    minimum, maximum = rules.limits_of(spot)
    wins = sum((chance for line, chance in chances.items() if line and line.pays is not None), Fraction(0))
    highest = min(maximum, int(wins / edge))
    if highest - minimum > MAX_STAKES_TRIED * rules.chips[0]:
        return True
    return any(
        is_makeable(stake, rules) and figures_at(rules, spot.name, stake).edge <= 0
        for stake in range(minimum, highest + 1)
    )


DECIMAL_PLACES: Final = 9


def format_decimal(value: Fraction, *, places: int = DECIMAL_PLACES) -> str:
    """Format a fraction as a decimal string, rounded half up in magnitude to `places`, at least one."""
    scaled = (abs(value.numerator) * 10**places * 2 + value.denominator) // (2 * value.denominator)
    whole, rest = divmod(scaled, 10**places)
    return f"{'-' if value < 0 and scaled else ''}{whole}.{rest:0{places}d}"


def format_fraction(value: Fraction) -> str:
    """Format a fraction in lowest terms as "n/d"."""
    return f"{value.numerator}/{value.denominator}"


def describe_commission(rules: TableRules) -> str:
    """Describe the commission that a table charges, one sentence for each spot that it is charged on."""
    sentences = [
        f"{float(100 * as_fraction(spot.commission.rate)):g}% of a {spot_title(spot.name)} win, "
        f"{_describe_rounding(spot.commission, rules)}, {timing_in_words(spot.commission.timing)}."
        for spot in rules.spots
        if spot.commission is not None
    ]
    return " ".join(sentences) or "No commission is charged."


def notes(sheet: OddsSheet) -> tuple[str, ...]:
    """Return notes on these odds for players and operators, one or two sentences each."""
    rules = sheet.rules
    minimum = f"{money.format_amount(rules.minimum, rules.currency)} {rules.currency}"
    lines = [
        "Figures are per unit staked; a stake that is returned counts as staked.",
        f"At the minimum, a stake of {minimum} is settled and rounded as this table does.",
    ]
    if is_finer_than_minor_unit(rules):
        lines.append("Commission finer than the currency's minor unit is rounded half up to the minor unit.")
    for spot in sheet.player_edge:
        odds = sheet.spot(spot)
        edge, at_minimum = (format_decimal(100 * figures.edge, places=6) for figures in (odds.exact, odds.at_minimum))
        lines.append(
            f"The player has the edge on {spot_title(spot)}: the house edge is {edge}% "
            f"({at_minimum}% at the minimum). "
            "Such a table opens for real money only when its operator accepts that expressly."
        )
    return tuple(lines)


def odds_document(sheet: OddsSheet) -> dict[str, object]:
    """Return the sheet as JSON-ready values: fractions as "n/d" and as decimal strings, money as text."""
    rules, counts = sheet.rules, sheet.counts
    return {
        "preset": rules.preset,
        "version": rules.version,
        "currency": rules.currency,
        "decks": rules.decks,
        "minimum": money.format_amount(rules.minimum, rules.currency),
        "counts": {"banker": counts.banker, "player": counts.player, "tie": counts.tie, "all": counts.total},
        "commission": describe_commission(rules),
        "spots": [_present_spot(odds) for odds in sheet.spots],
        "player_edge": list(sheet.player_edge),
        "notes": list(notes(sheet)),
    }


def _present_spot(odds: SpotOdds) -> dict[str, object]:
    return {
        "spot": odds.spot,
        "lines": [{"pays": line_in_words(each.line), "chance": _present(each.chance)} for each in odds.lines],
        "win": _present(odds.win),
        "lose": _present(odds.lose),
        "push": _present(odds.push),
        "exact": _present_figures(odds.exact),
        "at_minimum": _present_figures(odds.at_minimum),
    }


def _present_figures(figures: SpotFigures) -> dict[str, object]:
    return {"return": _present(figures.rtp), "edge": _present(figures.edge), "variance": _present(figures.variance)}


def _present(value: Fraction) -> dict[str, str]:
    return {"fraction": format_fraction(value), "decimal": format_decimal(value)}


def _describe_rounding(commission: Commission, rules: TableRules) -> str:
    unit = commission.rounding
    if unit is None:
        return "exact"
    share = "" if unit.numerator == unit.denominator else f"{unit.numerator}/{unit.denominator} of "
    return (
        f"rounded up to {share}the lowest chip ({money.format_amount(rules.chips[0], rules.currency)} {rules.currency})"
    )
