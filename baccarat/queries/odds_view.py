"""A table's odds as the API shows them: exact fractions, and decimals beside them. Pure."""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta, field

from baccarat.domain.rules.counting import OutcomeCounts
from baccarat.domain.rules.odds import OddsSheet, SpotFigures, SpotOdds
from baccarat.domain.rules.odds_page import describe_commission, format_decimal, format_fraction, notes
from baccarat.domain.rules.wagers import Spot
from casino.api.shapes import AmountText, CurrencyCode, Shape
from casino.kernel.money import format_amount


class FractionResponse(Shape):
    """An exact number."""

    fraction: Annotated[str, Meta(examples=["19/20"])]
    decimal: Annotated[str, Meta(examples=["0.950000000"])]

    @classmethod
    def of(cls, value: Fraction) -> "FractionResponse":
        """Present a fraction in lowest terms and as a decimal string."""
        return cls(fraction=format_fraction(value), decimal=format_decimal(value))


class SpotFiguresResponse(Shape):
    """Per unit staked."""

    rtp: FractionResponse = field(name="return")
    edge: Annotated[FractionResponse, Meta(description="The house's.")]
    variance: FractionResponse

    @classmethod
    def of(cls, figures: SpotFigures) -> "SpotFiguresResponse":
        """Present the figures of a spot."""
        return cls(
            rtp=FractionResponse.of(figures.rtp),
            edge=FractionResponse.of(figures.edge),
            variance=FractionResponse.of(figures.variance),
        )


class SpotOddsResponse(Shape):
    """The odds of one spot: `exact` at the exact commission, `at_minimum` for a stake of the table's minimum."""

    spot: Spot
    pays: Annotated[str, Meta(examples=["1:1"])]
    win: FractionResponse
    lose: FractionResponse
    push: FractionResponse
    exact: SpotFiguresResponse
    at_minimum: SpotFiguresResponse

    @classmethod
    def of(cls, odds: SpotOdds) -> "SpotOddsResponse":
        """Present the odds of one spot."""
        return cls(
            spot=odds.spot,
            pays=str(odds.pays),
            win=FractionResponse.of(odds.win),
            lose=FractionResponse.of(odds.lose),
            push=FractionResponse.of(odds.push),
            exact=SpotFiguresResponse.of(odds.exact),
            at_minimum=SpotFiguresResponse.of(odds.at_minimum),
        )


class OutcomeCountsResponse(Shape):
    """Ordered six-card draws."""

    banker: int
    player: int
    tie: int
    total: int = field(name="all")

    @classmethod
    def of(cls, counts: OutcomeCounts) -> "OutcomeCountsResponse":
        """Present how many draws each outcome wins."""
        return cls(banker=counts.banker, player=counts.player, tie=counts.tie, total=counts.total)


class Odds(Shape):
    """What every spot of a table returns, exactly."""

    preset: str
    version: int
    currency: CurrencyCode
    decks: int
    minimum: AmountText
    counts: OutcomeCountsResponse
    commission: Annotated[str, Meta(examples=["5% of a Banker win, exact, taken from the payout."])]
    spots: tuple[SpotOddsResponse, ...]
    player_edge: Annotated[tuple[Spot, ...], Meta(description="Spots on which the house has no edge.")]
    notes: tuple[str, ...]


def present_odds(sheet: OddsSheet) -> Odds:
    """Present the whole sheet: fractions as "n/d" and as decimal strings, money as text."""
    rules = sheet.rules
    return Odds(
        preset=rules.preset,
        version=rules.version,
        currency=rules.currency,
        decks=rules.decks,
        minimum=format_amount(rules.minimum, rules.currency),
        counts=OutcomeCountsResponse.of(sheet.counts),
        commission=describe_commission(rules),
        spots=tuple(SpotOddsResponse.of(odds) for odds in sheet.spots),
        player_edge=sheet.player_edge,
        notes=notes(sheet),
    )
