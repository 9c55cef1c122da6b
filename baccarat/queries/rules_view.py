"""A table's rules and odds as the API shows them. Pure."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from msgspec import Meta, field

from baccarat.domain.rules.counting import OutcomeCounts
from baccarat.domain.rules.odds import (
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
from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    ShowMilliseconds,
    Shuffle,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from baccarat.domain.rules.wagers import Spot
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


class SpotOddsResponse(Shape):
    """The odds of one spot: `exact` at the exact commission, `at_minimum` for a stake of the table's minimum."""

    spot: Spot
    pays: Annotated[str, Meta(examples=["1:1"])]
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
            pays=str(odds.pays),
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
    player_edge: Annotated[tuple[Spot, ...], Meta(description="Spots on which the house has no edge.")]
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


OddsText = Annotated[str, Meta(pattern="^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$", examples=["8:1"])]


class CommissionResponse(Shape):
    """The house's share of a Banker win."""

    rate: Annotated[str, Meta(examples=["5/100"])]
    rounding: Annotated[str | None, Meta(examples=["1/4 of the lowest chip, up"])]
    timing: CommissionTiming

    @classmethod
    def of(cls, commission: Commission) -> "CommissionResponse":
        """Present shares as unreduced fractions."""
        unit = commission.rounding
        return cls(
            rate=_share(commission.rate),
            rounding=None if unit is None else f"{_share(unit)} of the lowest chip, up",
            timing=commission.timing,
        )


class TableRulesResponse(Shape):
    """The rules of a table."""

    preset: PresetName
    version: int
    currency: CurrencyCode
    decks: int
    shuffle: Shuffle
    seats: int
    chips: tuple[AmountText, ...]
    minimum: AmountText
    maximum: AmountText
    spots_per_round: SpotsPerRound
    player_pays: OddsText
    banker_pays: OddsText
    tie_pays: OddsText
    commission: CommissionResponse | None
    under_minimum: UnderMinimumPolicy
    turn_seconds: int | None
    caller: bool
    play_money: bool
    cut_cards_from_end: Annotated[
        int | None, Meta(description="Position of the cut card, counted from the end of the shoe.")
    ]
    burn: Annotated[bool, Meta(description="Whether cards are burned after the shuffle.")]
    fixed_order: Annotated[
        bool,
        Meta(
            description="Whether the order of a long shoe is fixed as it starts, so that the house knows it; otherwise "
            "the cards of each round are drawn from those left, once its betting has closed."
        ),
    ]
    seat_kept_rounds: Annotated[
        int | None, Meta(description="Number of turns an absent player may miss before the seat is released.")
    ]
    look_seconds: Annotated[
        int | None,
        Meta(description="The Caller's ceremony: seconds a seat has the cards before looking; null if none."),
    ]
    hand_back_seconds: Annotated[int | None, Meta(description="Seconds a seat has the cards after looking.")]
    show_milliseconds: Annotated[
        ShowMilliseconds,
        Meta(description="How long a deal is shown before the next turn, by its cards; all 0 where play is instant."),
    ]
    auto_confirm: Annotated[
        bool,
        Meta(
            description="Whether the player's page confirms what was placed in this round, two seconds before betting "
            "closes. The service itself confirms nothing."
        ),
    ]
    minimum_cycle_seconds: Annotated[
        int, Meta(description="The least time from one round's opening to the next one's; 0 if there is none.")
    ]
    may_hurry: Annotated[bool, Meta(description="Whether the show of a deal may be skipped or left out.")]


def present_rules(rules: TableRules) -> TableRulesResponse:
    """Present a table's rules: amounts as decimal strings, odds as "8:1"."""
    currency = rules.currency
    return TableRulesResponse(
        preset=rules.preset,
        version=rules.version,
        currency=currency,
        decks=rules.decks,
        shuffle=rules.shuffle,
        seats=rules.seats,
        chips=tuple(format_amount(chip, currency) for chip in rules.chips),
        minimum=format_amount(rules.minimum, currency),
        maximum=format_amount(rules.maximum, currency),
        spots_per_round=rules.spots_per_round,
        player_pays=str(rules.player_pays),
        banker_pays=str(rules.banker_pays),
        tie_pays=str(rules.tie_pays),
        commission=None if rules.commission is None else CommissionResponse.of(rules.commission),
        under_minimum=rules.under_minimum,
        turn_seconds=rules.turn_seconds,
        caller=rules.caller,
        play_money=rules.play_money,
        cut_cards_from_end=rules.cut_cards_from_end,
        burn=rules.burn,
        fixed_order=rules.fixed_order,
        seat_kept_rounds=rules.seat_kept_rounds,
        look_seconds=rules.look_seconds,
        hand_back_seconds=rules.hand_back_seconds,
        show_milliseconds=rules.show_milliseconds,
        auto_confirm=rules.auto_confirm,
        minimum_cycle_seconds=rules.minimum_cycle_seconds,
        may_hurry=rules.may_hurry,
    )


def _share(ratio: Ratio) -> str:
    return f"{ratio.numerator}/{ratio.denominator}"
