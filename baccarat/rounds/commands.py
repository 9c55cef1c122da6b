"""What may be asked of a round, in the imperative. What a decision needs from elsewhere travels in the command."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from baccarat.rounds.events import SeatInRound
from baccarat.rules.cards import Card
from baccarat.rules.presets import TableRules
from baccarat.rules.wagers import Spot


@dataclass(frozen=True, slots=True)
class OpenRound:
    """Open betting for the seats taken now. `deadline_at` is None where the table has no turn."""

    round: UUID
    table: UUID
    operator: UUID
    number: int
    rules: str
    shoe: UUID
    commitment: str | None
    seats: tuple[SeatInRound, ...]
    now: datetime
    deadline_at: datetime | None


@dataclass(frozen=True, slots=True)
class PlaceChips:
    """Put chips on a spot; `available` is the game balance in minor units."""

    player: UUID
    spot: Spot
    amount: int
    available: int
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class UndoPlacement:
    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class ClearChips:
    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class RepeatWager:
    """Place the last wager again; `stakes` is that wager, empty if there was none."""

    player: UUID
    stakes: dict[Spot, int]
    available: int
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class ConfirmWager:
    """The player's "deal": the placed chips become a wager."""

    player: UUID
    available: int
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class Pass:
    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class WithdrawSeat:
    """The player leaves or moves before confirming."""

    player: UUID


@dataclass(frozen=True, slots=True)
class DealRound:
    """Close betting, deal and settle; `cards` are the next ones of the shoe from `position` on.

    `seed` is the shoe's, in hex, where it is revealed with this round.
    """

    cards: tuple[Card, ...]
    position: int
    seed: str | None
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class SetRoundAside:
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True)
class ResumeRound:
    by: str
    now: datetime


PlayerCommand = PlaceChips | UndoPlacement | ClearChips | RepeatWager | ConfirmWager | Pass
RoundCommand = OpenRound | PlayerCommand | WithdrawSeat | DealRound | SetRoundAside | ResumeRound
