"""A table's rules and odds as the API shows them. Pure."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, convert, field, structs

from baccarat.domain.rules.counting import OutcomeCounts
from baccarat.domain.rules.odds import (
    LineOdds,
    OddsSheet,
    SpotFigures,
    SpotOdds,
    describe_commission,
    figures_at,
    format_decimal,
    format_fraction,
    notes,
)
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.spots import WrittenPayLine, WrittenSpot, write_line
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.written import FORMS, write_rules
from casino.api.shapes import AmountText, CurrencyCode, Shape
from casino.kernel.money import format_amount

PresetName = Annotated[str, Meta(extra_json_schema={"enum": list(PRESETS)})]


class FractionResponse(Shape):
    """An exact number."""

    fraction: Annotated[str, Meta(examples=["19/20"])]
    decimal: Annotated[str, Meta(examples=["0.950000000"])]

    @classmethod
    def of(cls, value: Fraction) -> "FractionResponse":
        """Present a fraction in lowest terms and as a decimal string."""
        return cls(fraction=format_fraction(value), decimal=format_decimal(value))


class SpotFiguresResponse(Shape):
    """Figures per unit staked."""

    rtp: FractionResponse = field(name="return")
    edge: Annotated[FractionResponse, Meta(description="House edge.")]
    variance: FractionResponse

    @classmethod
    def of(cls, figures: SpotFigures) -> "SpotFiguresResponse":
        """Present the figures of a spot."""
        return cls(
            rtp=FractionResponse.of(figures.rtp),
            edge=FractionResponse.of(figures.edge),
            variance=FractionResponse.of(figures.variance),
        )


class StakeReturn(Shape):
    """What a stake returns, settled and rounded as the table does."""

    stake: AmountText
    rtp: FractionResponse = field(name="return")


class LineOddsResponse(Shape):
    """A pay line, and how often it decides."""

    line: Annotated[WrittenPayLine, Meta(examples=[{"when": {"winner": "tie"}, "pays": "8:1"}])]
    chance: FractionResponse

    @classmethod
    def of(cls, odds: LineOdds) -> "LineOddsResponse":
        """Present a line with its chance."""
        return cls(line=write_line(odds.line), chance=FractionResponse.of(odds.chance))


class SpotOddsResponse(Shape):
    """The odds of one spot: `exact` at the exact commission, `at_minimum` for a stake of the spot's minimum."""

    spot: Annotated[str, Meta(examples=["banker"])]
    lines: tuple[LineOddsResponse, ...]
    win: FractionResponse
    lose: FractionResponse
    push: FractionResponse
    exact: SpotFiguresResponse
    at_minimum: SpotFiguresResponse
    at_stakes: Annotated[tuple[StakeReturn, ...], Meta(description="The stakes that were asked for.")]

    @classmethod
    def of(cls, odds: SpotOdds, rules: TableRules, stakes: Sequence[int]) -> "SpotOddsResponse":
        """Present the odds of one spot, and what these stakes return."""
        return cls(
            spot=odds.spot,
            lines=tuple(map(LineOddsResponse.of, odds.lines)),
            win=FractionResponse.of(odds.win),
            lose=FractionResponse.of(odds.lose),
            push=FractionResponse.of(odds.push),
            exact=SpotFiguresResponse.of(odds.exact),
            at_minimum=SpotFiguresResponse.of(odds.at_minimum),
            at_stakes=tuple(
                StakeReturn(
                    format_amount(stake, rules.currency),
                    FractionResponse.of(figures_at(rules, odds.spot, stake).rtp),
                )
                for stake in stakes
            ),
        )


class OutcomeCountsResponse(Shape):
    """Ordered six-card draws."""

    banker: int
    player: int
    tie: int
    total: int = field(name="all")

    @classmethod
    def of(cls, counts: OutcomeCounts) -> "OutcomeCountsResponse":
        """Present the number of draws by outcome."""
        return cls(banker=counts.banker, player=counts.player, tie=counts.tie, total=counts.total)


class Odds(Shape):
    """Exact odds of every spot of a table."""

    preset: PresetName
    version: int
    currency: CurrencyCode
    decks: int
    minimum: AmountText
    counts: OutcomeCountsResponse
    commission: Annotated[str, Meta(examples=["5% of a Banker win, exact, taken from the payout."])]
    spots: tuple[SpotOddsResponse, ...]
    player_edge: Annotated[tuple[str, ...], Meta(description="Spots on which the house has no edge.")]
    notes: tuple[str, ...]


def present_odds(sheet: OddsSheet, stakes: Sequence[int] = ()) -> Odds:
    """Present the whole sheet, and what stakes return: fractions as "n/d" and as decimal strings, money as text."""
    rules = sheet.rules
    return Odds(
        preset=rules.preset,
        version=rules.version,
        currency=rules.currency,
        decks=rules.decks,
        minimum=format_amount(rules.minimum, rules.currency),
        counts=OutcomeCountsResponse.of(sheet.counts),
        commission=describe_commission(rules),
        spots=tuple(SpotOddsResponse.of(odds, rules, stakes) for odds in sheet.spots),
        player_edge=sheet.player_edge,
        notes=notes(sheet),
    )


class TableRulesResponse(Shape):
    """The rules of a table."""

    __annotations__ = {**FORMS, "preset": PresetName, "currency": CurrencyCode}


@lru_cache(maxsize=256)
def present_rules(rules: TableRules) -> TableRulesResponse:
    """Present a table's rules: amounts as decimal strings, spots as they are written."""
    return convert(write_rules(rules), TableRulesResponse)


def present_spots(rules: TableRules) -> tuple[WrittenSpot, ...]:
    """Present the spots alone."""
    spots: tuple[WrittenSpot, ...] = structs.asdict(present_rules(rules))["spots"]
    return spots
