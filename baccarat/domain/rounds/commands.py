"""Commands of a round, in the imperative. A command carries everything from elsewhere that its decision needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import LogHead, SignedRelease
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds.events import NextTerms, SeatInRound, VoidReason, WagerSignature
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class OpenRound:
    """Open betting for the occupied seats, on these terms. `deadline_at` is None at a table without turn limits.

    `contributions` are those to the round's own shoe.
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
    now: datetime
    deadline_at: datetime | None
    terms: str
    contributions: tuple[Contribution, ...] = ()
    witnesses: tuple[WitnessIndex, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceChips:
    """Put chips on a spot; `available` is the game balance in minor units."""

    player: UUID
    spot: str
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
    """Place the last wager again. `stakes` is that wager, empty if there was none."""

    player: UUID
    stakes: dict[str, int]
    available: int
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class DoubleStakes:
    """Place the chips that lie there once more."""

    player: UUID
    available: int
    rules: TableRules
    now: datetime


@dataclass(frozen=True, slots=True)
class ConfirmWager:
    """Confirm the placed chips as a wager; the player's "deal". `stakes` replace them. A `signature` was verified.

    `debit` is the transaction by which the operator's own wallet has paid the stakes.
    """

    player: UUID
    available: int
    rules: TableRules
    now: datetime
    signature: WagerSignature | None = None
    stakes: Mapping[str, int] = field(default_factory=dict)
    debit: UUID | None = None


@dataclass(frozen=True, slots=True)
class PassTurn:
    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class ForceCards:
    """Choose the cards that the round is dealt, in deal order, from so many decks."""

    cards: tuple[str, ...]
    decks: int
    now: datetime


@dataclass(frozen=True, slots=True)
class LeaveRound:
    """Leave the round before confirming, to leave the table or change seats."""

    player: UUID


@dataclass(frozen=True, slots=True)
class ClosingInputs:
    """What a closing digest holds beside its round: 32 random bytes, the digests of the log's last sealed event and of
    the table's closing before, in hex, and the log as witnesses have cosigned it.
    """

    blind: bytes = field(repr=False)
    sealed_head: str
    before: str
    cosigned: LogHead | None = None


@dataclass(frozen=True, slots=True)
class DealRound:
    """Close betting, deal and settle. `cards` are the next cards of the shoe, from `shoe_position` on.

    At a table with witnesses, the first command only closes betting: cards are known once the links are given out.
    At a table with a ceremony, the first command may hand out the Player's cards instead, and a later one settles.
    `seed` is the shoe's seed in hex if it is revealed with this round. `next_terms` are fixed once cards are dealt.
    """

    cards: tuple[Card, ...] = field(repr=False)
    shoe_position: int
    seed: str | None = field(repr=False)
    rules: TableRules
    now: datetime
    closing: ClosingInputs
    next_terms: NextTerms | None = None


@dataclass(frozen=True, slots=True)
class ReceiveLinks:
    """Take over what the witnesses gave out for the round's closing. The `releases` were verified."""

    releases: tuple[SignedRelease, ...]


@dataclass(frozen=True, slots=True)
class LookAtCards:
    """Look at the Player's cards that lie face down at the player's seat."""

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
    """Void a round, alone while nobody may know the cards, and then as two; with `forgive`, the house bears winnings
    that were spent.

    `seed` is the shoe's seed in hex if this round has a shoe of its own and the seed can be read. `burn` is the number
    of cards to burn from a continuing shoe because a player may have seen some of them. `closing` and the table's
    `rules` are for a round whose betting is open, `funds` are those of the players of a settled one.
    """

    by: str
    reason: VoidReason
    note: str
    seed: str | None
    now: datetime
    burn: int
    closing: ClosingInputs | None = None
    rules: TableRules | None = None
    approved_by: str | None = None
    funds: "tuple[PlayerFunds, ...]" = ()
    forgive: bool = False


@dataclass(frozen=True, slots=True)
class VoidUnanswered:
    """Void a round whose witnesses have not answered in time; nobody asks for it, and nobody approves it."""

    note: str
    seed: str | None = field(repr=False)
    now: datetime
    burn: int


@dataclass(frozen=True, slots=True)
class PlayerFunds:
    """Current funds of a player of a settled round, in the wager's money type: minor units of game, account and rack.

    `seated` is whether the player still sits at the table with this money type.
    """

    player: UUID
    money_type: MoneyType
    seated: bool
    game: int
    account: int
    rack: int


CeremonyCommand = LookAtCards | HandBackCards
PlayerCommand = PlaceChips | UndoPlacement | ClearChips | RepeatWager | DoubleStakes | ConfirmWager | PassTurn
StaffCommand = SuspendRound | ResumeRound | VoidRound | VoidUnanswered
TableCommand = OpenRound | ForceCards | LeaveRound | DealRound | ReceiveLinks
RoundCommand = TableCommand | PlayerCommand | CeremonyCommand | StaffCommand
