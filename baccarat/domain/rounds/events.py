"""Events of a round, in the past tense. A stored contract: a changed shape is a new schema, upcast when read.

Amounts are minor units of the table's currency. Players are ids and staff are numbers: names would be personal data. A
`note` is stored encrypted under the keys of the round's players, so that it becomes unreadable when one is erased; one
that no person wrote is stored as it is.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from baccarat.domain.fairness.closing import Closing
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import LinksReleased
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds.forcing import CardsForced
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import SpotResult
from baccarat.domain.rules.table_rules import ShoeShape
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class ShoeCommitment:
    """A committed shoe of one round: its id, its commitment in hex, and its shape.

    Published one round ahead: when the table opens, and then with the terms of the round before it.
    """

    shoe: UUID
    commitment: str
    shape: ShoeShape


@dataclass(frozen=True, slots=True)
class NextTerms:
    """The terms of the table's next round, fixed as cards are dealt to the one before, and as by `TermsFixed`.

    Another `shoe`, of so many `decks`, is committed to for the round after it. The opening has the digest of the terms.
    """

    number: int
    shoe: UUID
    commitment: str
    decks: int
    place: ClassVar[None] = None

    @property
    def next_shoe(self) -> ShoeCommitment:
        """The commitment to that shoe, which has neither a cut card nor burned cards."""
        return ShoeCommitment(self.shoe, self.commitment, ShoeShape(self.decks, None, burn=False, fixed_order=False))


@dataclass(frozen=True, slots=True)
class SeatInRound:
    """A participating seat, occupied at the opening."""

    seat: int
    player: UUID
    money_type: MoneyType


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """Betting opened on terms fixed before. `deadline_at` ends the turn.

    If the round has a shoe of its own, `commitment` is to it and its cut is closed: it follows from the
    `contributions`. A long shoe's are in its own events. `terms` is the digest of the terms, `witnesses` are the links
    that its cards follow from. `rules` is the digest of the rules, `rules_label` what people call them at this table.
    """

    round: UUID
    table: UUID
    operator: UUID
    number: int
    rules: str
    rules_label: str
    shoe: UUID
    commitment: str | None
    seats: tuple[SeatInRound, ...]
    opened_at: datetime
    contributions: tuple[Contribution, ...]
    terms: str
    deadline_at: datetime | None = None
    witnesses: tuple[WitnessIndex, ...] = ()


@dataclass(frozen=True, slots=True)
class ChipsPlaced:
    """A seat placed chips on one spot; they are not yet at risk."""

    seat: int
    spot: str
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
    """The stakes of the seat's last wager, or those that lay there, were placed again, as one placement."""

    seat: int
    stakes: dict[str, int]


@dataclass(frozen=True, slots=True)
class WagerSignature:
    """A player's signature over the round's terms and the stakes as asked, in hex.

    `public_key` is the algorithm in one byte, 01 for Ed25519, then the key of the player's session.
    """

    public_key: str
    nonce: str
    signature: str


@dataclass(frozen=True, slots=True)
class WagerConfirmed:
    """The stakes left the game balance and are at risk. `raised` holds the amounts added to reach the minimum.

    `wager` is the id that names it everywhere. The stakes were placed as chips before, or given with the wager if no
    chips of the seat are on the table. `debit` is the transaction by which the operator's own wallet paid them, None if
    the money was here.
    """

    wager: UUID
    seat: int
    player: UUID
    money_type: MoneyType
    stakes: dict[str, int]
    confirmed_at: datetime
    raised: dict[str, int] = field(default_factory=dict)
    signature: WagerSignature | None = None
    debit: UUID | None = None


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
    """Betting closed. `closing` pins all wagers before a card is drawn."""

    closed_at: datetime
    closing: Closing


class Side(StrEnum):
    """The Player's or the Banker's hand."""

    PLAYER = "player"
    BANKER = "banker"


class HandedBackBy(StrEnum):
    """How the seat's time with the cards ended."""

    PLAYER = "player"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class CardsHandedOut:
    """The Player's two cards went face down to the seat with the highest Player wager, which has them until `until`:
    the Caller's ceremony (rules, section 3). No event before `HandTurned` names a card.
    """

    seat: int
    handed_out_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class CardsLookedAt:
    """The seat looked at its cards; it has until `until` to hand them back."""

    seat: int
    looked_at: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class CardsHandedBack:
    """The cards are with the Caller again."""

    seat: int
    by: HandedBackBy
    handed_back_at: datetime


@dataclass(frozen=True, slots=True)
class HandTurned:
    """The Caller turned a hand's first two cards over; the Player's hand comes first."""

    side: Side
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """The cards in deal order (P B P B, then the thirds). `shoe_position` is where the first is in the shoe.

    `next_terms` is None where `TermsFixed` fixes them: with long shoes, if other rules wait or the table closes."""

    shoe_position: int
    cards: tuple[Card, ...]
    next_terms: NextTerms | None


@dataclass(frozen=True, slots=True)
class SeatSettled:
    """The result of one wager: `won` before `commission`, `returned` with the stakes that did not lose, net of it.

    If commission is `deferred`, the rack holds it until it is collected; else the house has it at once.
    """

    wager: UUID
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
    """The outcome and every wager's result. `seed` opens the commitment of the round's drawing, None in a shoe whose
    order is fixed.

    At `betting_opens_at` the show of the deal and the least cycle are over, and betting on the next round opens.
    """

    outcome: Outcome
    player_total: int
    banker_total: int
    natural: bool
    wagers: tuple[SeatSettled, ...]
    settled_at: datetime
    betting_opens_at: datetime
    seed: str | None


@dataclass(frozen=True, slots=True)
class RoundLapsed:
    """Nobody confirmed a wager, so no card was dealt. `seed` as in `RoundSettled`."""

    reason: str
    lapsed_at: datetime
    seed: str | None
    closing: Closing


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


class VoidReason(StrEnum):
    """Why a round is voided."""

    MALFUNCTION = "malfunction"
    MISDEAL = "misdeal"
    WRONG_RULES = "wrong_rules"
    FRAUD = "fraud"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class SeatVoided:
    """How one wager is undone: `staked` is given back; `returned`, as the settlement says, is taken back.

    A positive difference goes to the game balance or, if the player has left, to the account. A negative one is taken
    from the game balance, then from the account; the rest is `owed`, or `forgiven` by the house. `commission` is undone
    as well: `from_rack` of it had not been collected yet.
    """

    wager: UUID
    seat: int
    player: UUID
    money_type: MoneyType
    staked: int
    returned: int
    commission: int
    from_rack: int
    to_game: int
    to_account: int
    from_game: int
    from_account: int
    owed: int
    forgiven: int


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """All stakes, payouts and commissions of the round were undone. `was_settled` is whether there was an outcome.

    `approved_by` is the second person, None if none is needed; the change on which they agreed caused the event. `seed`
    opens the commitment of the round's drawing if it was still secret. `number` is the round's number at its table.
    `burned_count` cards were burned from a shoe whose order is fixed, seen by nobody except one player who looked at
    two of them. `closing` is None unless betting was open.
    """

    round: UUID
    was_settled: bool
    requested_by: str
    approved_by: str | None
    reason: VoidReason
    note: str
    seats: tuple[SeatVoided, ...]
    voided_at: datetime
    seed: str | None
    number: int
    burned_count: int
    closing: Closing | None


RoundEvent = (
    RoundOpened | ChipsPlaced | PlacementUndone | ChipsCleared | StakesRebet | WagerConfirmed | SeatPassed
    | SeatTimedOut | SeatLeftRound | CardsForced | BettingClosed | LinksReleased | CardsHandedOut
    | CardsLookedAt | CardsHandedBack | HandTurned | CardsDealt | RoundSettled | RoundLapsed | RoundSuspended
    | RoundResumed | RoundVoided
)  # fmt: skip
