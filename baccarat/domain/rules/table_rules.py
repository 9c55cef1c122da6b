"""Rules of a table: everything an operator can configure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple, get_type_hints

from msgspec import Meta, Struct, structs

from baccarat.domain.rules.coups import DECKS, FACTS, Coup, Value

SEATS: Final = 1, 14
MINOR: Final = "minor units"
MinorUnits = Annotated[int, MINOR]
"""An amount in the table's currency."""
Milliseconds = Annotated[int, Meta(ge=0, le=60_000)]


class Shuffle(StrEnum):
    """When the cards are shuffled."""

    EACH_ROUND = "each_round"
    SHOE = "shoe"


class UnderMinimumPolicy(StrEnum):
    """How a stake below the table's minimum is handled."""

    RAISE = "raise"
    REJECT = "reject"


class SpotsPerRound(StrEnum):
    """Number of spots that one seat may bet on in one round."""

    ANY = "any"
    ONE = "one"


class SpotKind(StrEnum):
    """What a spot is to the game: one of its own, or a side bet."""

    MAIN = "main"
    SIDE = "side"


class CommissionTiming(StrEnum):
    """When commission is taken: with the payout, or when the shoe ends or the player leaves."""

    SETTLEMENT = "settlement"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Ratio:
    """An exact ratio of two integers: odds of 8:1, a rate of 5/100."""

    numerator: int
    denominator: int

    def __str__(self) -> str:
        """Format the ratio as odds: "8:1"."""
        return f"{self.numerator}:{self.denominator}"


@dataclass(frozen=True, slots=True)
class Commission:
    """The house's share of what a spot wins.

    `rounding` is the unit to round up to, as a fraction of the lowest chip; None keeps it exact, rounded half up to the
    minor unit.
    """

    rate: Ratio
    rounding: Ratio | None
    timing: CommissionTiming


@dataclass(frozen=True, slots=True)
class FactCondition:
    """A fact of the coup, and the values of which it must have one."""

    fact: str
    values: tuple[Value, ...]

    def holds(self, coup: Coup) -> bool:
        """Return whether the coup has one of the values."""
        return FACTS[self.fact].of(coup) in self.values


@dataclass(frozen=True, slots=True)
class PayLine:
    """What a spot pays where all conditions hold; None returns the stake."""

    when: tuple[FactCondition, ...]
    pays: Ratio | None


@dataclass(frozen=True)
class SpotRules:
    """A spot that takes stakes. Its first line whose conditions hold decides; without one, the stake is lost.

    Limits are the table's unless it has its own, in minor units. `needs` names the spots of which one must be bet with
    it, if there are any.
    """

    name: str
    kind: SpotKind
    lines: tuple[PayLine, ...]
    commission: Commission | None = None
    minimum: int | None = None
    maximum: int | None = None
    needs: tuple[str, ...] = ()

    def line(self, coup: Coup) -> PayLine | None:
        """Return the line that decides this coup."""
        return self._deciding[coup]

    @cached_property
    def _deciding(self) -> "_Deciding":
        return _Deciding(self.lines)


class _Deciding(dict[Coup, PayLine | None]):
    """Which line decides each coup, found once."""

    def __init__(self, lines: tuple[PayLine, ...]) -> None:
        super().__init__()
        self.lines = lines

    def __missing__(self, coup: Coup) -> PayLine | None:
        self[coup] = next((line for line in self.lines if all(each.holds(coup) for each in line.when)), None)
        return self[coup]


class CeremonySeconds(NamedTuple):
    """Time limits of a seat with the cards: before it looks at them, and then before it hands them back."""

    look: int
    hand_back: int


class ShowMilliseconds(Struct, frozen=True, forbid_unknown_fields=True):
    """Lengths of the show, in which the page deals the cards before the next turn begins, by what was dealt.

    `ceremony` is added if a seat had the Player's cards. All are zero where play is instant.
    """

    two_cards: Milliseconds
    natural: Milliseconds
    one_third_card: Milliseconds
    two_third_cards: Milliseconds
    ceremony: Milliseconds

    def __str__(self) -> str:
        """Format the lengths for staff: "two cards 6590 ms, natural 7290 ms, ..."."""
        return ", ".join(f"{name.replace('_', ' ')} {length} ms" for name, length in structs.asdict(self).items())

    def length(self, *, cards: int, natural: bool, ceremony: bool) -> timedelta:
        """Return the length of the show of a deal of so many cards."""
        hands = self.natural if natural else (self.two_cards, self.one_third_card, self.two_third_cards)[cards - 4]
        return timedelta(milliseconds=hands + (self.ceremony if ceremony else 0))


_BEFORE_CARDS, _CARD, _THIRD_CARD, _NATURAL, _RESULT, _PAUSE = 400, 660, 760, 700, 2750, 800
_TWO_CARDS: Final = _BEFORE_CARDS + 4 * _CARD + _RESULT + _PAUSE
REGULAR_SHOW: Final = ShowMilliseconds(
    two_cards=_TWO_CARDS,
    natural=_TWO_CARDS + _NATURAL,
    one_third_card=_TWO_CARDS + _THIRD_CARD,
    two_third_cards=_TWO_CARDS + 2 * _THIRD_CARD,
    ceremony=700,
)


@dataclass(frozen=True, slots=True)
class ShoeShape:
    """The rules that determine the cards of a long shoe and how far it is played."""

    decks: int
    cut_cards_from_end: int | None
    burn: bool
    fixed_order: bool


@dataclass(frozen=True)
class TableRules:
    """Rules of one table.

    A field is declared here alone, with its type, bounds and description, by which requests, answers, forms and
    validation know it. What else must hold of it is in `validation`.
    """

    preset: str
    version: int
    currency: str
    decks: Annotated[int, Meta(ge=DECKS[0], le=DECKS[1])]
    seats: Annotated[int, Meta(ge=SEATS[0], le=SEATS[1])]
    chips: Annotated[tuple[MinorUnits, ...], Meta(max_length=12)]
    minimum: MinorUnits
    maximum: MinorUnits
    spots: Annotated[tuple[SpotRules, ...], Meta(description="What can be bet on, in the order of a wager.")]
    shuffle: Shuffle = Shuffle.EACH_ROUND
    spots_per_round: SpotsPerRound = SpotsPerRound.ANY
    under_minimum: UnderMinimumPolicy = UnderMinimumPolicy.REJECT
    turn_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=3600)] | None, Meta(description="Null: turns have no limit.")
    ] = None
    caller: Annotated[bool, Meta(description="Whether a Caller deals.")] = False
    play_money: Annotated[bool, Meta(description="Whether play money is taken.")] = True
    cut_cards_from_end: Annotated[
        int | None, Meta(description="Position of the cut card, counted from the end of the shoe; null without one.")
    ] = None
    hands_after_cut: Annotated[
        int, Meta(ge=0, le=1, description="Hands played after the one in which the cut card comes out.")
    ] = 1
    burn: Annotated[bool, Meta(description="Whether cards are burned after the shuffle of a shoe.")] = False
    fixed_order: Annotated[
        bool,
        Meta(
            description="Whether the order of a long shoe is fixed as it starts, so that the house knows it; otherwise "
            "the cards of each round are drawn from those left, once its betting has closed."
        ),
    ] = False
    seat_kept_rounds: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        Meta(
            description="Turns in a row that an absent player may miss before the seat is released; null: it is kept "
            "by time alone."
        ),
    ] = None
    look_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=60)] | None,
        Meta(description="The Caller's ceremony: seconds a seat has the cards before looking; null if none."),
    ] = None
    hand_back_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=60)] | None,
        Meta(description="Seconds a seat has the cards after looking; null if there is no ceremony."),
    ] = None
    show_milliseconds: Annotated[
        ShowMilliseconds,
        Meta(
            description="How long a deal is shown before the next turn, by its cards; all 0 where play is instant. "
            "Money never waits for it."
        ),
    ] = REGULAR_SHOW
    auto_confirm: Annotated[
        bool,
        Meta(
            description="Whether the player's page confirms what was placed in this round, two seconds before betting "
            "closes. The service itself confirms nothing."
        ),
    ] = False
    minimum_cycle_seconds: Annotated[
        int,
        Meta(ge=0, le=3600, description="The least time from one round's opening to the next one's; 0 if none."),
    ] = 0
    may_hurry: Annotated[
        bool,
        Meta(description="Whether the show of a deal may be skipped or left out, before the next turn."),
    ] = True

    @property
    def label(self) -> str:
        """Return what people call these rules at their table, such as "mini@1"; others may be called the same."""
        return f"{self.preset}@{self.version}"

    @cached_property
    def spot_names(self) -> tuple[str, ...]:
        """Return the names of the spots, in order."""
        return tuple(spot.name for spot in self.spots)

    def spot(self, name: str) -> SpotRules | None:
        """Return a spot of this layout, None if there is none of this name."""
        return next((spot for spot in self.spots if spot.name == name), None)

    def limits_of(self, spot: SpotRules) -> tuple[int, int]:
        """Return a spot's minimum and maximum."""
        return (
            self.minimum if spot.minimum is None else spot.minimum,
            self.maximum if spot.maximum is None else spot.maximum,
        )

    @cached_property
    def defers_commission(self) -> bool:
        """Return whether commission is set aside until the shoe ends or the player leaves."""
        return any(spot.commission and spot.commission.timing is CommissionTiming.DEFERRED for spot in self.spots)

    @property
    def shape(self) -> ShoeShape:
        """Return the shape of a long shoe under these rules."""
        return ShoeShape(self.decks, self.cut_cards_from_end, burn=self.burn, fixed_order=self.fixed_order)

    @property
    def draws_by_round(self) -> bool:
        """Return whether each round's cards are drawn from what is left of a long shoe, by links of its own."""
        return self.shuffle is Shuffle.SHOE and not self.fixed_order

    @property
    def minimum_cycle(self) -> timedelta:
        """Return the least time from one round's opening to the next one's."""
        return timedelta(seconds=self.minimum_cycle_seconds)

    def ceremony_seconds(self) -> "CeremonySeconds | None":
        """Return the time limits of the Caller's ceremony, None at a table without one."""
        if not self.caller or self.look_seconds is None or self.hand_back_seconds is None:
            return None
        return CeremonySeconds(self.look_seconds, self.hand_back_seconds)


FIELDS: Final[Mapping[str, Any]] = get_type_hints(TableRules, include_extras=True)
"""The type of each field, with its annotations."""
LABELS: Final = frozenset({"preset", "version", "currency"})
"""What rules are called: no table sets it."""
