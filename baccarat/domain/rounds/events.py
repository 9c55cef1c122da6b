"""What happened in a round, in the past tense. The stored contract: a changed shape is a new schema, upcast when read.

Amounts are minor units of the table's currency. Players are ids; no personal data is in here.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds.ceremony_events import CardsHandedBack, CardsHandedOut, CardsLookedAt, HandTurned
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rounds.cut_events import CutContributed
from baccarat.domain.rounds.void_events import RoundVoidDeclined, RoundVoided, RoundVoidRequested
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import SpotResult
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class SeatInRound:
    """A seat that takes part: those taken when the round opened."""

    seat: int
    player: UUID
    money_type: MoneyType


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """Betting is open. `deadline_at` ends the turn; `commitment` is set where this round has a shoe of its own.

    That is the shoe named by the opening before this one, of table or round; `next_shoe` is named for the round after,
    None where a long shoe is played.
    """

    round: UUID
    table: UUID
    operator: UUID
    number: int
    rules: str
    shoe: UUID
    commitment: str | None
    seats: tuple[SeatInRound, ...]
    opened_at: datetime
    deadline_at: datetime | None
    next_shoe: ShoeCommitment | None


@dataclass(frozen=True, slots=True)
class ChipsPlaced:
    """Chips on one spot, not yet at risk."""

    seat: int
    spot: Spot
    amount: int


@dataclass(frozen=True, slots=True)
class PlacementUndone:
    """The seat's last placement came off the table."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChipsCleared:
    """All unconfirmed chips of the seat came off the table."""

    seat: int


@dataclass(frozen=True, slots=True)
class StakesRebet:
    """The stakes of the seat's last wager were placed again, as one placement."""

    seat: int
    stakes: dict[Spot, int]


@dataclass(frozen=True, slots=True)
class WagerConfirmed:
    """The stakes are at risk and out of the game balance. `raised` holds what was added to reach the minimum."""

    seat: int
    player: UUID
    money_type: MoneyType
    stakes: dict[Spot, int]
    raised: dict[Spot, int]
    confirmed_at: datetime


@dataclass(frozen=True, slots=True)
class SeatPassed:
    """The seat sits this round out by its own word."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatTimedOut:
    """The turn ended without a word from the seat; nothing is taken."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeftRound:
    """The player left or moved before confirming; unconfirmed chips are returned."""

    seat: int


@dataclass(frozen=True, slots=True)
class BettingClosed:
    """No more bets.

    Where the round has a shoe of its own its cut is fixed now, in hex, by these contributions; "" without any.
    """

    closed_at: datetime
    contributions: tuple[Contribution, ...]
    cut: str


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """The cards in deal order (P B P B, then the thirds); `position` is the first one's place in the shoe."""

    position: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class SeatSettled:
    """What one wager came to: `returned` comes back, net of `commission`.

    Where commission is `deferred`, `returned` is gross: the rack holds back `commission` of it until it is collected.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    results: tuple[SpotResult, ...]
    staked: int
    won: int
    commission: int
    deferred: bool
    returned: int


@dataclass(frozen=True, slots=True)
class RoundSettled:
    """The outcome and every wager's result. `seed` opens the commitment where the shoe ends with the round."""

    outcome: Outcome
    player_total: int
    banker_total: int
    natural: bool
    wagers: tuple[SeatSettled, ...]
    settled_at: datetime
    seed: str | None


@dataclass(frozen=True, slots=True)
class RoundLapsed:
    """Nobody confirmed, so no card was dealt."""

    reason: str
    lapsed_at: datetime
    seed: str | None


@dataclass(frozen=True, slots=True)
class RoundSuspended:
    """The round could not be dealt; it waits for a person and blocks no other."""

    reason: str
    suspended_at: datetime


@dataclass(frozen=True, slots=True)
class RoundResumed:
    """A person sent the round back to be dealt."""

    by: str
    resumed_at: datetime


RoundEvent = (
    RoundOpened
    | ChipsPlaced
    | PlacementUndone
    | ChipsCleared
    | StakesRebet
    | WagerConfirmed
    | SeatPassed
    | SeatTimedOut
    | SeatLeftRound
    | CutContributed
    | BettingClosed
    | CardsHandedOut
    | CardsLookedAt
    | CardsHandedBack
    | HandTurned
    | CardsDealt
    | RoundSettled
    | RoundLapsed
    | RoundSuspended
    | RoundResumed
    | RoundVoidRequested
    | RoundVoidDeclined
    | RoundVoided
)
