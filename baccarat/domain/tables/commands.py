"""Commands of a table, in the imperative. A command carries everything from elsewhere that its decision needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.fairness.links import SignedRelease
from baccarat.domain.rounds.commands import ClosingInputs
from baccarat.domain.rounds.events import ShoeCommitment
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.rules.versions import DEFAULT_FLOOR
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.domain.tables.witness_events import ReplacementReason
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Open a table. `edge_spots` are the spots whose rules favour the player, `edge_accepted` the operator's
    acceptance.

    `next_shoe` is the shoe of its first round, None if the table plays long shoes.
    """

    table: UUID
    operator: UUID
    name: str
    rules: TableRules
    money_types: tuple[MoneyType, ...]
    edge_spots: tuple[str, ...]
    edge_accepted: bool
    now: datetime
    floor: int = DEFAULT_FLOOR
    acknowledgement: str = ""
    next_shoe: ShoeCommitment | None = None
    listed: bool = True
    brands: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Take a seat with `buy_in` minor units. `available` is the account balance in that money type."""

    player: UUID
    seat: int
    money_type: MoneyType
    buy_in: int
    available: int
    now: datetime


@dataclass(frozen=True, slots=True)
class ChangeSeat:
    player: UUID
    seat: int
    now: datetime


@dataclass(frozen=True, slots=True)
class Rebuy:
    player: UUID
    amount: int
    available: int
    now: datetime


@dataclass(frozen=True, slots=True)
class LeaveSeat:
    """Leave with the `game_balance`; collects what the seat's rack holds."""

    player: UUID
    game_balance: int
    now: datetime


@dataclass(frozen=True, slots=True)
class FreeSeat:
    """Free the seat of an absent player, with the `game_balance`, if it is no longer kept.

    `last_seen_at` is the player's last request. Players are away after `away_after`, and gone after `gone_after`.
    """

    player: UUID
    game_balance: int
    last_seen_at: datetime
    away_after: timedelta
    gone_after: timedelta
    now: datetime


@dataclass(frozen=True, slots=True)
class RequestShowSkip:
    """Ask to skip the rest of the show of the last deal."""

    player: UUID
    now: datetime


@dataclass(frozen=True, slots=True)
class EndShow:
    """End the show at a table where no round can open."""

    now: datetime


@dataclass(frozen=True, slots=True)
class CommitShoe:
    """Commit to the seed of the next long shoe before anybody contributes to its cut."""

    shoe: UUID
    commitment: str
    now: datetime


@dataclass(frozen=True, slots=True)
class ContributeToShoeCut:
    """Contribute to the cut of the next shoe: 1 to 32 bytes in lower-case hex. A `signature` was verified."""

    player: UUID
    contribution: str
    now: datetime
    signature: ContributionSignature | None = None


@dataclass(frozen=True, slots=True)
class FixTerms:
    """Fix the terms of the next round. `next_shoe` is that of the round after it, None at a table with long shoes.

    There, `commitment` is to the round's own seed, or to the shoe's. Terms already fixed are fixed anew only if the
    rules have changed, and keep their shoes and commitments.
    """

    next_shoe: ShoeCommitment | None
    now: datetime
    commitment: str = ""


@dataclass(frozen=True, slots=True)
class CloseShoeCut:
    """Close the cut of the committed long shoe, against which the table's witnesses give out their links."""

    closing: ClosingInputs
    now: datetime


@dataclass(frozen=True, slots=True)
class ReceiveShoeLinks:
    """Take over what the witnesses gave out for a long shoe's closing. The `releases` were verified."""

    shoe: UUID
    releases: tuple[SignedRelease, ...]


@dataclass(frozen=True, slots=True)
class StartShoe:
    """Start the committed long shoe, whose cards follow from its seed, its cut and witnesses' links.

    `first_card` is the card turned over, None if the table burns none; `root` is the Merkle root of all its cards, None
    if each round draws its own.
    """

    first_card: Card | None
    root: str | None
    closing: ClosingInputs
    now: datetime


@dataclass(frozen=True, slots=True)
class EndShoe:
    """End the shoe: reveal its `seed` (hex) and collect what the racks hold."""

    seed: str = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class StopPlay:
    """Stop new play. Players see `message`; `reason` is for staff; `subject` is the digest of the rules."""

    scope: StopScope
    subject: str
    message: str
    reason: str
    by: str
    now: datetime


@dataclass(frozen=True, slots=True)
class ResumePlay:
    scope: StopScope
    subject: str
    reason: str
    by: str
    now: datetime


@dataclass(frozen=True, slots=True)
class RevealShoe:
    """Reveal the seed, in hex, of a voided round's own shoe, a drawing to which there is this commitment."""

    drawing: Drawing
    round: UUID
    commitment: str | None
    seed: str = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class OpenWitnessChain:
    """Have the table use a witness's chain of links: its header, signed by the witness and by the house, in hex."""

    header: str
    signature: str
    house_signature: str
    now: datetime


@dataclass(frozen=True, slots=True)
class ReplaceWitness:
    """Have the table use another chain instead of those of the witness with `release_key`, in hex.

    The other is given as with OpenWitnessChain. `seed` is that of a long shoe whose links are waited for, if it can be
    read.
    """

    release_key: str
    successor: OpenWitnessChain
    reason: ReplacementReason
    seed: str | None = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class AnnounceTableClosure:
    """Stop new play at a table that will be closed permanently."""

    by: str
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True)
class CloseTable:
    """Close a table without seated players. `seeds` are its still secret seeds, in hex, if known."""

    by: str
    reason: str
    seeds: Mapping[UUID, str] = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class DraftRules:
    """Propose rules. `floor` is the operator's return floor, `acknowledgement` the sentence typed, `by` the author."""

    rules: TableRules
    floor: int
    acknowledgement: str
    reason: str
    by: str
    now: datetime


@dataclass(frozen=True, slots=True)
class PublishRules:
    """Approve a draft. `floor` is the operator's current return floor, None to keep the one the draft was checked
    against.
    """

    version: int
    by: str
    now: datetime
    floor: int | None = None


@dataclass(frozen=True, slots=True)
class RejectRules:
    version: int
    reason: str
    by: str
    now: datetime


@dataclass(frozen=True, slots=True)
class PutRulesIntoEffect:
    """Put published rules into effect if they are due."""

    now: datetime


@dataclass(frozen=True, slots=True)
class RetireRules:
    """Retire the rules in force, which must have this version."""

    version: int
    reason: str
    by: str
    now: datetime


ShowCommand = RequestShowSkip | EndShow
SeatCommand = TakeSeat | ChangeSeat | Rebuy | LeaveSeat | FreeSeat
ShoeCommand = (
    CommitShoe
    | ContributeToShoeCut
    | CloseShoeCut
    | ReceiveShoeLinks
    | FixTerms
    | StartShoe
    | EndShoe
    | RevealShoe
    | OpenWitnessChain
    | ReplaceWitness
)
VersionCommand = DraftRules | PublishRules | RejectRules | PutRulesIntoEffect | RetireRules
StopCommand = StopPlay | ResumePlay
TableCommand = (
    OpenTable
    | SeatCommand
    | ShowCommand
    | ShoeCommand
    | StopCommand
    | AnnounceTableClosure
    | CloseTable
    | VersionCommand
)
