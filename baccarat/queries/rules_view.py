"""A table's rules as the API shows them. Pure."""

from typing import Annotated

from msgspec import Meta

from baccarat.domain.rules.table_rules import (
    Commission,
    CommissionTiming,
    Ratio,
    Shuffle,
    SpotsPerRound,
    TableRules,
    UnderMinimumPolicy,
)
from casino.api.shapes import AmountText, CurrencyCode, Shape
from casino.kernel.money import format_amount

OddsText = Annotated[str, Meta(examples=["8:1"])]


class CommissionResponse(Shape):
    """The house's share of a Banker win."""

    rate: Annotated[str, Meta(examples=["5/100"])]
    rounding: Annotated[str | None, Meta(examples=["1/4 of the lowest chip, up"])]
    timing: CommissionTiming

    @classmethod
    def of(cls, commission: Commission) -> "CommissionResponse":
        """Present shares as fractions that are not reduced."""
        unit = commission.rounding
        return cls(
            rate=_share(commission.rate),
            rounding=None if unit is None else f"{_share(unit)} of the lowest chip, up",
            timing=commission.timing,
        )


class TableRulesResponse(Shape):
    """How a table plays."""

    preset: str
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
    cut_cards_from_end: Annotated[int | None, Meta(description="Where the cut card lies in a shoe.")]
    burn: Annotated[bool, Meta(description="Whether cards are burned after the shuffle.")]
    seat_kept_rounds: Annotated[
        int | None, Meta(description="How many turns may run out before an absent player's seat is released.")
    ]
    look_seconds: Annotated[
        int | None,
        Meta(description="The Caller's ceremony: how long a seat has the cards before it looks; null: none."),
    ]
    hand_back_seconds: Annotated[int | None, Meta(description="And how long after it has looked.")]


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
        seat_kept_rounds=rules.seat_kept_rounds,
        look_seconds=rules.look_seconds,
        hand_back_seconds=rules.hand_back_seconds,
    )


def _share(ratio: Ratio) -> str:
    return f"{ratio.numerator}/{ratio.denominator}"
