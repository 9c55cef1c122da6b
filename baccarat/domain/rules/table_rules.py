"""The values that say how one table plays: everything an operator can set."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Shuffle(StrEnum):
    """When the cards are shuffled."""

    EACH_ROUND = "each_round"
    SHOE = "shoe"


class UnderMinimumPolicy(StrEnum):
    """What happens to a stake under the table's minimum."""

    RAISE = "raise"
    REJECT = "reject"


class SpotsPerRound(StrEnum):
    """How many spots one seat may bet on in one round."""

    ANY = "any"
    ONE = "one"


class CommissionTiming(StrEnum):
    """When commission is taken: with the payout, or owed until the shoe ends or the player leaves."""

    SETTLEMENT = "settlement"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Ratio:
    """An exact ratio of two integers: odds of 8:1, a rate of 5/100."""

    numerator: int
    denominator: int

    def __str__(self) -> str:
        """The ratio as odds are printed: "8:1"."""
        return f"{self.numerator}:{self.denominator}"


@dataclass(frozen=True, slots=True)
class Commission:
    """The house's share of a Banker win.

    `rounding` is the unit it is rounded up to, as a fraction of the lowest chip; None keeps it exact, half up to the
    minor unit.
    """

    rate: Ratio
    rounding: Ratio | None
    timing: CommissionTiming


class CeremonySeconds(NamedTuple):
    """How long a seat may wait before it looks at the cards, and then before it hands them back."""

    look: int
    hand_back: int


@dataclass(frozen=True, slots=True)
class ShoeShape:
    """What of the rules decides which card of a long shoe lies where, and how far it is played."""

    decks: int
    cut_cards_from_end: int | None
    burn: bool


@dataclass(frozen=True, slots=True)
class TableRules:
    """How one table plays. Chips and limits are in minor units of `currency`; limits hold for each spot.

    `cut_cards_from_end` and `burn` belong to a shoe; `turn_seconds` None is a turn without limit. The seat of a player
    who is away is kept for `seat_kept_rounds` turns that run out without a word; None keeps it by time alone.
    `look_seconds` and `hand_back_seconds` belong to a Caller: how long a seat has the Player's cards before it looks,
    and after. Without them the Caller deals without ceremony.
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
    seat_kept_rounds: int | None
    look_seconds: int | None
    hand_back_seconds: int | None

    @property
    def label(self) -> str:
        """Name these rules as rounds carry them: preset and version, such as "mini@1"."""
        return f"{self.preset}@{self.version}"

    @property
    def shape(self) -> ShoeShape:
        """Return what a long shoe by these rules is made of."""
        return ShoeShape(decks=self.decks, cut_cards_from_end=self.cut_cards_from_end, burn=self.burn)

    def ceremony_seconds(self) -> "CeremonySeconds | None":
        """Return the time limits of the Caller's ceremony, None at a table without one."""
        if not self.caller or self.look_seconds is None or self.hand_back_seconds is None:
            return None
        return CeremonySeconds(self.look_seconds, self.hand_back_seconds)
