"""Versions of a table's rules: theoretical returns, required acknowledgements, and differences.

Source: GLI-19 2.8.3 (the theoretical return of each paytable on record), A.6.1(b) (another return is another game in
all reports), 4.7.1(a) (75 % at least in every wager).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Final

from baccarat.domain.rules.odds import SpotOdds, describe_commission, format_decimal, format_fraction, odds_sheet
from baccarat.domain.rules.payouts import odds_for
from baccarat.domain.rules.table_rules import Ratio, Shuffle, TableRules
from baccarat.domain.rules.wagers import Spot
from casino.kernel import money

DEFAULT_FLOOR: Final = 7500
"""Default minimum return of a spot for real money, in hundredths of a percent."""
BASIS_POINTS: Final = 10_000
MAX_ODDS: Final[Mapping[Spot, Ratio]] = {Spot.PLAYER: Ratio(1, 1), Spot.BANKER: Ratio(1, 1), Spot.TIE: Ratio(20, 1)}
"""The highest odds of each spot for real money. A spot without them can't be offered for real money."""
_SHOE_FIELDS: Final = ("decks", "cut_cards_from_end", "burn", "fixed_order", "commission")
"""Fields that apply to a whole shoe: its cards, and commission deferred to its end."""
_MONEY_FIELDS: Final = frozenset({"minimum", "maximum"})
_LABEL_FIELDS: Final = frozenset({"preset", "version", "currency"})


@dataclass(frozen=True, slots=True)
class SpotReturn:
    """Expected return of a unit staked on a spot, as exact fractions "n/d": at exact rates, and at the minimum."""

    spot: Spot
    exact: str
    at_minimum: str


@dataclass(frozen=True, slots=True)
class ReturnWarning:
    """Reason that a spot needs an acknowledgement for real money: player edge, or a return under the floor."""

    spot: Spot
    player_edge: bool
    lowest_return: Fraction


def theoretical_returns(rules: TableRules) -> tuple[SpotReturn, ...]:
    """Compute the theoretical return of every spot by enumerating all draws."""
    sheet = odds_sheet(rules)
    return tuple(
        SpotReturn(odds.spot, format_fraction(odds.exact.rtp), format_fraction(odds.at_minimum.rtp))
        for odds in sheet.spots
    )


def return_warnings(rules: TableRules, *, floor: int) -> tuple[ReturnWarning, ...]:
    """Return the spots with no house edge or with a return below `floor` (1/100 of a percent)."""
    sheet = odds_sheet(rules)
    edges = set(sheet.player_edge)
    return tuple(
        ReturnWarning(odds.spot, odds.spot in edges, _lowest_return(odds))
        for odds in sheet.spots
        if odds.spot in edges or _lowest_return(odds) < Fraction(floor, BASIS_POINTS)
    )


def spots_over_odds(rules: TableRules, limits: Mapping[Spot, Ratio] = MAX_ODDS) -> tuple[Spot, ...]:
    """Return the spots that pay more than the installation allows for real money, or that it has no limit for."""
    return tuple(spot for spot in Spot if spot not in limits or _value(odds_for(rules, spot)) > _value(limits[spot]))


def _value(ratio: Ratio) -> Fraction:
    return Fraction(ratio.numerator, ratio.denominator)


def acknowledgement_sentence(rules: TableRules, *, floor: int) -> str:
    """Return the exact sentence that an operator must acknowledge for real money, empty if none is needed."""
    sentences = [_describe_warning(warning, rules, floor) for warning in return_warnings(rules, floor=floor)]
    return f"We accept that {' and that '.join(sentences)}." if sentences else ""


def is_acknowledged(rules: TableRules, *, floor: int, acknowledgement: str) -> bool:
    """Return whether the acknowledgement matches the required sentence, ignoring white space."""
    return acknowledgement.split() == acknowledgement_sentence(rules, floor=floor).split()


def waits_for_shoe(old: TableRules, new: TableRules) -> bool:
    """Return whether new rules must wait until the shoe in play has ended."""
    if old.shuffle is not Shuffle.SHOE:
        return False
    return any(getattr(old, name) != getattr(new, name) for name in _SHOE_FIELDS)


def plays_alike(old: TableRules, new: TableRules) -> bool:
    """Return whether two versions play the same, ignoring version numbers."""
    return not list(_changed_fields(old, new))


def describe_differences(old: TableRules, new: TableRules) -> tuple[str, ...]:
    """Describe the changes from one version to another, one sentence for each field and return."""
    sentences = [
        f"{_field_title(name)}: {_format_field(old, name)} becomes {_format_field(new, name)}."
        for name in _changed_fields(old, new)
    ]
    for before, after in zip(odds_sheet(old).spots, odds_sheet(new).spots, strict=True):
        if before.exact.rtp != after.exact.rtp:
            old_return, new_return = format_percent(before.exact.rtp), format_percent(after.exact.rtp)
            sentences.append(f"Return on {after.spot.capitalize()}: {old_return} becomes {new_return}.")
    return tuple(sentences)


def format_percent(value: Fraction) -> str:
    """Format a fraction as a percentage with four decimals: "98.9421%"."""
    return f"{format_decimal(100 * value, places=4)}%"


def _lowest_return(odds: SpotOdds) -> Fraction:
    return min(odds.exact.rtp, odds.at_minimum.rtp)


def _describe_warning(warning: ReturnWarning, rules: TableRules, floor: int) -> str:
    spot = warning.spot.capitalize()
    if warning.player_edge:
        expected = format_percent(odds_sheet(rules).spot(warning.spot).exact.rtp)
        return f"the player has the edge on {spot}, which returns {expected}"
    minimum = format_percent(Fraction(floor, BASIS_POINTS))
    return f"{spot} returns {format_percent(warning.lowest_return)}, less than our floor of {minimum}"


def _changed_fields(old: TableRules, new: TableRules) -> Iterator[str]:
    names = (field.name for field in fields(TableRules) if field.name not in _LABEL_FIELDS)
    return (name for name in names if getattr(old, name) != getattr(new, name))


def _field_title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _format_field(rules: TableRules, name: str) -> str:
    value = getattr(rules, name)
    if name == "commission":
        return describe_commission(rules).rstrip(".")
    if name == "chips":
        return ", ".join(money.format_amount(chip, rules.currency) for chip in value)
    if name in _MONEY_FIELDS:
        return f"{money.format_amount(value, rules.currency)} {rules.currency}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value).replace("_", " ")
