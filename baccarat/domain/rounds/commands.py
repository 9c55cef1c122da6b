"""What may be asked of a round, in the imperative. What a decision needs from elsewhere travels in the command."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.events import SeatInRound
from baccarat.domain.rounds.void_events import VoidReason
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class OpenRound:
    """Open betting for the seats taken now. `deadline_at` is None where the table has no turn.

    `next_shoe` is the one to name for the round after, None at a table with a long shoe.
    """

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
    next_shoe: ShoeCommitment | None = None


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
class PassTurn:
    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class ContributeToCut:
    """Contribute to the cut of the round's own shoe: 1 to 32 bytes in lower-case hex."""

    player: UUID
    contribution: str
    now: datetime


@dataclass(frozen=True, slots=True)
class LeaveRound:
    """The player leaves or moves before confirming."""

    player: UUID


@dataclass(frozen=True, slots=True)
class DealRound:
    """Close betting, deal and settle; `cards` are the next ones of the shoe from `position` on.

    At a table with a ceremony the first one may hand the Player's cards out instead, and another one settles. `seed`
    is the shoe's, in hex, where it is revealed with this round.
    """

    cards: tuple[Card, ...] = field(repr=False)
    position: int
    seed: str | None = field(repr=False)
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class LookAtCards:
    """The player looks at the Player's cards that lie face down at the own seat."""

    player: UUID
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class HandBackCards:
    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class SuspendRound:
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True)
class ResumeRound:
    by: str
    now: datetime


@dataclass(frozen=True, slots=True)
class VoidRound:
    """Void a round in play at once, or ask for it where it is settled.

    `seed` is its shoe's, in hex, where this round has a shoe of its own and the seed can be read. `burn` is how many
    cards to burn from a shoe that goes on, should a player have seen some of them.
    """

    by: str
    reason: VoidReason
    note: str
    seed: str | None
    now: datetime
    burn: int = 0


@dataclass(frozen=True, slots=True)
class PlayerFunds:
    """What a player of a settled round has now, in the wager's money_type: minor units of game, account and rack.

    `seated` tells whether the player still sits at the table with this kind of money.
    """

    player: UUID
    money_type: MoneyType
    seated: bool
    game: int
    account: int
    rack: int


@dataclass(frozen=True, slots=True)
class ApproveVoid:
    """Agree to a void that another asked for; `forgive` says that the house bears what players have spent."""

    by: str
    funds: tuple[PlayerFunds, ...]
    forgive: bool
    now: datetime


@dataclass(frozen=True, slots=True)
class DeclineVoid:
    """Refuse a void that was asked for, or take the own request back."""

    by: str
    note: str
    now: datetime


CeremonyCommand = LookAtCards | HandBackCards
PlayerCommand = PlaceChips | UndoPlacement | ClearChips | RepeatWager | ConfirmWager | PassTurn
StaffCommand = SuspendRound | ResumeRound | VoidRound | ApproveVoid | DeclineVoid
RoundCommand = OpenRound | PlayerCommand | ContributeToCut | LeaveRound | DealRound | CeremonyCommand | StaffCommand
