"""Events of a round, in the past tense. A stored contract: a changed shape is a new schema, upcast when read.

Amounts are minor units of the table's currency. Players are ids; events contain no personal data.
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
    """A participating seat, occupied when the round opened."""

    seat: int
    player: UUID
    money_type: MoneyType


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """Betting opened. `deadline_at` ends the turn; `commitment` is set if this round has a shoe of its own.

    That shoe is the one announced by the previous opening, of table or round. `next_shoe` is announced for the
    following round, None if a long shoe is played.
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
    """A seat placed chips on one spot; they are not yet at risk."""

    seat: int
    spot: Spot
    amount: int


@dataclass(frozen=True, slots=True)
class PlacementUndone:
    """The seat's last placement was taken back."""

    seat: int


@dataclass(frozen=True, slots=True)
class ChipsCleared:
    """All unconfirmed chips of the seat were taken back."""

    seat: int


@dataclass(frozen=True, slots=True)
class StakesRebet:
    """The stakes of the seat's last wager were placed again, as one placement."""

    seat: int
    stakes: dict[Spot, int]


@dataclass(frozen=True, slots=True)
class WagerConfirmed:
    """The stakes left the game balance and are at risk. `raised` holds the amounts added to reach the minimum."""

    seat: int
    player: UUID
    money_type: MoneyType
    stakes: dict[Spot, int]
    raised: dict[Spot, int]
    confirmed_at: datetime


@dataclass(frozen=True, slots=True)
class SeatPassed:
    """The seat chose to sit out this round."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatTimedOut:
    """The turn ended without an action by the seat; no money moves."""

    seat: int


@dataclass(frozen=True, slots=True)
class SeatLeftRound:
    """The player left or changed seats before confirming; unconfirmed chips were returned."""

    seat: int


@dataclass(frozen=True, slots=True)
class BettingClosed:
    """Betting closed.

    If the round has a shoe of its own, this fixes its cut, in hex, from these contributions; "" without any.
    """

    closed_at: datetime
    contributions: tuple[Contribution, ...]
    cut: str


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """The cards in deal order (P B P B, then the thirds). `position` is the first card's position in the shoe."""

    position: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class SeatSettled:
    """The result of one wager: `returned` is paid back, net of `commission`.

    If commission is `deferred`, `returned` is gross: the rack holds `commission` of it until it is collected.
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
    """The outcome and every wager's result. `seed` opens the commitment if the shoe ends with the round."""

    outcome: Outcome
    player_total: int
    banker_total: int
    natural: bool
    wagers: tuple[SeatSettled, ...]
    settled_at: datetime
    seed: str | None


@dataclass(frozen=True, slots=True)
class RoundLapsed:
    """Nobody confirmed a wager, so no card was dealt."""

    reason: str
    lapsed_at: datetime
    seed: str | None


@dataclass(frozen=True, slots=True)
class RoundSuspended:
    """The round could not be dealt. It waits for a person and does not block other rounds."""

    reason: str
    suspended_at: datetime


@dataclass(frozen=True, slots=True)
class RoundResumed:
    """A person returned the round to dealing."""

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
