"""Versions of a table's rules: theoretical returns, required acknowledgements, and differences.

Source: GLI-19 2.8.3 (the theoretical return of each paytable on record), A.6.1(b) (another return is another game in
all reports), 4.7.1(a) (75 % at least in every wager).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from baccarat.domain.rules.odds import SpotOdds, as_fraction, format_decimal, format_fraction, odds_sheet
from baccarat.domain.rules.presets import SCALES
from baccarat.domain.rules.spots import spot_in_words, spot_title
from baccarat.domain.rules.table_rules import (
    FIELDS,
    LABELS,
    Commission,
    Ratio,
    Shuffle,
    SpotKind,
    SpotRules,
    TableRules,
)
from baccarat.domain.rules.written import write_rules
from casino.kernel.money import format_amount, unit

DEFAULT_FLOOR: Final = 7500
"""Default minimum return of a spot for real money, in hundredths of a percent."""
BASIS_POINTS: Final = 10_000
MAX_ODDS: Final[Mapping[str, Ratio]] = {"player": Ratio(1, 1), "banker": Ratio(1, 1), "tie": Ratio(20, 1)}
"""The highest odds of these spots for real money."""
MAX_ODDS_OF_OTHERS: Final = Ratio(250, 1)
"""Those of any other spot."""
MAX_WIN: Final = 1_000_000
"""The most that one wager may win for real money, in whole units of the currency, times its scale."""
_SHOE_FIELDS: Final = ("decks", "cut_cards_from_end", "hands_after_cut", "burn", "fixed_order")
"""Fields that apply to a whole shoe. Commission that is deferred to its end does, too."""


@dataclass(frozen=True, slots=True)
class SpotReturn:
    """Expected return of a unit staked on a spot, as exact fractions "n/d": at exact rates, and at the minimum."""

    spot: str
    exact: str
    at_minimum: str


@dataclass(frozen=True, slots=True)
class ReturnWarning:
    """Reason that a spot needs an acknowledgement for real money: player edge, or a return under the floor."""

    spot: str
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


def highest_odds(spot: str) -> Ratio:
    """Return the highest odds of a spot that the installation allows for real money."""
    return MAX_ODDS.get(spot, MAX_ODDS_OF_OTHERS)


def highest_win(currency: str) -> int:
    """Return the most that one wager may win for real money, in minor units. Raises UnknownCurrency."""
    return MAX_WIN * SCALES.get(currency, 1) * unit(currency)


def spots_over_odds(rules: TableRules) -> tuple[str, ...]:
    """Return the spots that pay more than the installation allows for real money."""
    return tuple(
        spot.name
        for spot in rules.spots
        if any(line.pays and as_fraction(line.pays) > as_fraction(highest_odds(spot.name)) for line in spot.lines)
    )


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
    return _commissions(old) != _commissions(new) or any(
        getattr(old, name) != getattr(new, name) for name in _SHOE_FIELDS
    )


def _commissions(rules: TableRules) -> dict[str, Commission]:
    return {spot.name: spot.commission for spot in rules.spots if spot.commission is not None}


def plays_alike(old: TableRules, new: TableRules) -> bool:
    """Return whether two versions play the same, ignoring version numbers."""
    return not list(_changed_fields(old, new))


def describe_differences(old: TableRules, new: TableRules) -> tuple[str, ...]:
    """Describe the changes from one version to another, one sentence for each field and return."""
    sentences = [
        f"{_field_title(name)}: {field_in_words(old, name)} becomes {field_in_words(new, name)}."
        for name in _changed_fields(old, new)
        if name != "spots"
    ]
    sentences += _describe_spots(old, new)
    before = {odds.spot: odds.exact.rtp for odds in odds_sheet(old).spots}
    sentences += [
        f"Return on {spot_title(odds.spot)}: {format_percent(before[odds.spot])} becomes "
        f"{format_percent(odds.exact.rtp)}."
        for odds in odds_sheet(new).spots
        if before.get(odds.spot, odds.exact.rtp) != odds.exact.rtp
    ]
    return tuple(sentences)


def format_percent(value: Fraction) -> str:
    """Format a fraction as a percentage with four decimals: "98.9421%"."""
    return f"{format_decimal(100 * value, places=4)}%"


def _lowest_return(odds: SpotOdds) -> Fraction:
    return min(odds.exact.rtp, odds.at_minimum.rtp)


def _describe_warning(warning: ReturnWarning, rules: TableRules, floor: int) -> str:
    spot = spot_title(warning.spot)
    if warning.player_edge:
        expected = format_percent(odds_sheet(rules).spot(warning.spot).exact.rtp)
        return f"the player has the edge on {spot}, which returns {expected}"
    minimum = format_percent(Fraction(floor, BASIS_POINTS))
    return f"{spot} returns {format_percent(warning.lowest_return)}, less than our floor of {minimum}"


def _changed_fields(old: TableRules, new: TableRules) -> Iterator[str]:
    return (name for name in FIELDS if name not in LABELS and getattr(old, name) != getattr(new, name))


def _field_title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def field_in_words(rules: TableRules, name: str) -> str:
    """Say the value of a field, apart from the spots."""
    value, written = getattr(rules, name), write_rules(rules)[name]
    if isinstance(value, tuple):
        return ", ".join(map(str, written))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(written, str) and isinstance(value, int):
        return f"{written} {rules.currency}"
    return "none" if value is None else str(value).replace("_", " ")


def _describe_spots(old: TableRules, new: TableRules) -> Iterator[str]:
    for spot in new.spots:
        before, after = old.spot(spot.name), _terms_in_words(spot, new)
        if before is None:
            yield f"{spot_title(spot.name)} is new: {after}."
        elif before != spot:
            yield f"{spot_title(spot.name)}: {_terms_in_words(before, old)} becomes {after}."
    for name in old.spot_names:
        if name not in new.spot_names:
            yield f"{spot_title(name)} is dropped."
    if sorted(old.spot_names) == sorted(new.spot_names) and old.spot_names != new.spot_names:
        yield f"The spots are in the order {', '.join(map(spot_title, new.spot_names))}."


def _terms_in_words(spot: SpotRules, rules: TableRules) -> str:
    terms = [spot_in_words(spot), *(["side bet"] if spot.kind is SpotKind.SIDE else [])]
    for word, limit in (("at least", spot.minimum), ("at most", spot.maximum)):
        if limit is not None:
            terms.append(f"{word} {format_amount(limit, rules.currency)} {rules.currency}")
    if spot.needs:
        terms.append(f"beside {' or '.join(map(spot_title, spot.needs))}")
    return ", ".join(terms)
