"""Rules of a table: everything an operator can configure."""

from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple


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
    """The house's share of a Banker win.

    `rounding` is the unit to round up to, as a fraction of the lowest chip; None keeps it exact, rounded half up to the
    minor unit.
    """

    rate: Ratio
    rounding: Ratio | None
    timing: CommissionTiming


class CeremonySeconds(NamedTuple):
    """Time limits of a seat with the cards: before it looks at them, and then before it hands them back."""

    look: int
    hand_back: int


@dataclass(frozen=True, slots=True)
class ShowMilliseconds:
    """Lengths of the show, in which the page deals the cards before the next turn begins, by what was dealt.

    `ceremony` is added if a seat had the Player's cards. All are zero where play is instant.
    """

    two_cards: int
    natural: int
    one_third_card: int
    two_third_cards: int
    ceremony: int

    def __str__(self) -> str:
        """Format the lengths for staff: "two cards 6590 ms, natural 7290 ms, ..."."""
        return ", ".join(f"{name.replace('_', ' ')} {length} ms" for name, length in asdict(self).items())

    def length(self, *, cards: int, natural: bool, ceremony: bool) -> timedelta:
        """Return the length of the show of a deal of so many cards."""
        hands = self.natural if natural else (self.two_cards, self.one_third_card, self.two_third_cards)[cards - 4]
        return timedelta(milliseconds=hands + (self.ceremony if ceremony else 0))


@dataclass(frozen=True, slots=True)
class ShoeShape:
    """The rules that determine the cards of a long shoe and how far it is played."""

    decks: int
    cut_cards_from_end: int | None
    burn: bool
    fixed_order: bool


@dataclass(frozen=True, slots=True)
class TableRules:
    """Rules of one table. Chips and limits are in minor units of `currency`; limits apply to each spot.

    `cut_cards_from_end`, `burn` and `fixed_order` apply to shoes. The cards of each round are drawn from those left,
    once its betting has closed; with a fixed order, all as the shoe starts, so that the house knows them.

    `turn_seconds` None means turns without limit. An absent player's seat is kept for `seat_kept_rounds` turns that
    time out in a row; None limits it by time alone. `look_seconds` and `hand_back_seconds` apply to tables with a
    Caller: how long a seat has the Player's cards before it looks, and after. Without them the Caller deals without
    ceremony. `show_milliseconds` delay the next turn, never the money.

    With `auto_confirm` the player's page confirms what its player placed, shortly before betting closes; the service
    never does. Between one round's opening and the next one's lie at least `minimum_cycle_seconds`. Without `may_hurry`
    every deal is shown in full before the next turn, which nobody can skip.
    """

    preset: str
    version: int
    currency: str
    decks: int
    shuffle: Shuffle
    seats: int
    chips: tuple[int, ...]
    minimum: int
    maximum: int
    spots_per_round: SpotsPerRound
    player_pays: Ratio
    banker_pays: Ratio
    tie_pays: Ratio
    commission: Commission | None
    under_minimum: UnderMinimumPolicy
    turn_seconds: int | None
    caller: bool
    play_money: bool
    cut_cards_from_end: int | None
    burn: bool
    fixed_order: bool
    seat_kept_rounds: int | None
    look_seconds: int | None
    hand_back_seconds: int | None
    show_milliseconds: ShowMilliseconds
    auto_confirm: bool
    minimum_cycle_seconds: int
    may_hurry: bool

    @property
    def label(self) -> str:
        """Return what people call these rules at their table, such as "mini@1"; others may be called the same."""
        return f"{self.preset}@{self.version}"

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
