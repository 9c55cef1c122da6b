"""What may be asked of a table, in the imperative. What a decision needs from elsewhere travels in the command."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.rules.versions import DEFAULT_FLOOR
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.kill_switch_events import StopScope
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Open a table; `edge_spots` give the player the edge by its rules, `edge_accepted` is the operator's word.

    `next_shoe` is that of its first round, None where long shoes are played.
    """

    table: UUID
    operator: UUID
    name: str
    rules: TableRules
    money_types: tuple[MoneyType, ...]
    edge_spots: tuple[Spot, ...]
    edge_accepted: bool
    now: datetime
    floor: int = DEFAULT_FLOOR
    acknowledgement: str = ""
    next_shoe: ShoeCommitment | None = None


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """Sit down with `buy_in` minor units; `available` is the account balance in that kind of money."""

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
    """Leave with the `game_balance`; what the seat's rack holds is collected."""

    player: UUID
    game_balance: int
    now: datetime


@dataclass(frozen=True, slots=True)
class FreeSeat:
    """Free the seat of a player last heard of at `last_seen_at`, with the `game_balance`, if it is not kept any longer.

    Who was not heard of for `away_after` is away, and for `gone_after` gone.
    """

    player: UUID
    game_balance: int
    last_seen_at: datetime
    away_after: timedelta
    gone_after: timedelta
    now: datetime


@dataclass(frozen=True, slots=True)
class CommitShoe:
    """Commit to the seed of the next long shoe, before anybody contributes to its cut."""

    shoe: UUID
    commitment: str
    now: datetime


@dataclass(frozen=True, slots=True)
class ContributeToShoeCut:
    """Contribute to the cut of the next long shoe: 1 to 32 bytes in lower-case hex."""

    player: UUID
    contribution: str
    now: datetime


@dataclass(frozen=True, slots=True)
class StartShoe:
    """Start the long shoe that is committed to, whose order follows from its seed and its cut.

    `first_card` is the one that is turned, None where the table burns none; `root` is the root of all its cards.
    """

    first_card: Card | None
    root: str
    now: datetime


@dataclass(frozen=True, slots=True)
class EndShoe:
    """End the shoe: reveal its `seed` (hex), collect what the racks hold."""

    seed: str = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class StopPlay:
    """Let nothing new start; `says` is what players are told, `reason` what staff say, `subject` rules' label."""

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
    """Show the seed of a void round's own shoe, in hex, which the round's opening committed to."""

    shoe: UUID
    round: UUID
    commitment: str
    seed: str = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class AnnounceTableClosure:
    """Let nothing new start at a table that is to be closed for good."""

    by: str
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True)
class CloseTable:
    """Close a table that nobody sits at; `seeds` are those of its shoes that are still secret, in hex, as known."""

    by: str
    reason: str
    seeds: Mapping[UUID, str] = field(repr=False)
    now: datetime


@dataclass(frozen=True, slots=True)
class DraftRules:
    """Propose rules; `floor` is the operator's, `acknowledgement` the sentence typed, `by` who proposes."""

    rules: TableRules
    floor: int
    acknowledgement: str
    by: str
    now: datetime


@dataclass(frozen=True, slots=True)
class PublishRules:
    """Agree to a draft; `floor` is the operator's by now, None to hold the draft to the one it was judged by."""

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
    """Let published rules hold, if it is their time."""

    now: datetime


@dataclass(frozen=True, slots=True)
class RetireRules:
    """Withdraw the rules in force, which are of this version."""

    version: int
    reason: str
    by: str
    now: datetime


SeatCommand = TakeSeat | ChangeSeat | Rebuy | LeaveSeat | FreeSeat
ShoeCommand = CommitShoe | ContributeToShoeCut | StartShoe | EndShoe | RevealShoe
VersionCommand = DraftRules | PublishRules | RejectRules | PutRulesIntoEffect | RetireRules
SwitchCommand = StopPlay | ResumePlay
TableCommand = (
    OpenTable | SeatCommand | ShoeCommand | SwitchCommand | AnnounceTableClosure | CloseTable | VersionCommand
)
