"""What happened at a table, in the past tense. Amounts are minor units of the table's currency."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds.commitment import ShoeCommitment
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.rules.versions import SpotReturn
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.kill_switch_events import PlayResumed, PlayStopped
from baccarat.domain.tables.rules_events import (
    RulesDrafted,
    RulesPublished,
    RulesRejected,
    RulesRetired,
    RulesTookEffect,
)
from baccarat.domain.tables.shoe_events import (
    ShoeCommitted,
    ShoeCutContributed,
    ShoeRevealed,
    TableClosed,
    TableClosureAnnounced,
)
from casino.kernel.money import MoneyType


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table with its first rules. `edge_accepted` lists spots whose player's edge the operator accepted.

    `returns` are what each spot returns by these rules, `return_floor` the operator's least return in hundredths of a
    percent, and `acknowledgement` the sentence typed where one was due. `next_shoe` is that of the first round, None
    where long shoes are played.
    """

    table: UUID
    operator: UUID
    name: str
    rules: TableRules
    money_types: tuple[MoneyType, ...]
    edge_accepted: tuple[Spot, ...]
    opened_at: datetime
    returns: tuple[SpotReturn, ...]
    return_floor: int
    acknowledgement: str
    next_shoe: ShoeCommitment | None


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """A player sat down; `buy_in` moved from account to game balance."""

    seat: int
    player: UUID
    money_type: MoneyType
    buy_in: int
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class SeatChanged:
    player: UUID
    from_seat: int
    to_seat: int
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Rebought:
    """More money moved from account to game balance."""

    seat: int
    player: UUID
    money_type: MoneyType
    amount: int
    rebought_at: datetime


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player left: `returned` went back to the account, `collected` commission from the rack to the house."""

    seat: int
    player: UUID
    money_type: MoneyType
    returned: int
    commission_collected: int
    left_at: datetime


class SeatReleaseReason(StrEnum):
    """Why the seat of a player is freed."""

    MISSED_ROUNDS = "missed_rounds"
    """As many turns ran out without a word as the table keeps a seat for."""
    DISCONNECTED = "disconnected"
    """Nothing was heard of the player for as long as any table keeps a seat."""
    TABLE_CLOSED = "table_closed"
    """The table is closed for good, whether the player is there or not."""


@dataclass(frozen=True, slots=True)
class SeatReleased:
    """The seat of an absent player, or of one at a table that closes, was freed; money moves as when one leaves.

    `missed` turns in a row had run out, and the player was last heard of at `last_seen_at`.
    """

    seat: int
    player: UUID
    money_type: MoneyType
    returned: int
    commission_collected: int
    reason: SeatReleaseReason
    missed: int
    last_seen_at: datetime
    released_at: datetime


@dataclass(frozen=True, slots=True)
class ShoeStarted:
    """A long shoe was shuffled and cut: its first card was turned and `burned` more were burned.

    The `cut` follows from the `contributions`, in hex, "" without any; `root` is the Merkle root of all its cards, in
    hex. `first_round` is the number of the first round it is for.
    """

    shoe: UUID
    number: int
    commitment: str
    turned_card: Card | None
    burned_count: int
    started_at: datetime
    first_round: int
    contributions: tuple[Contribution, ...]
    cut: str
    root: str


@dataclass(frozen=True, slots=True)
class CommissionCollected:
    """What one player's rack held at the end of the shoe."""

    seat: int
    player: UUID
    money_type: MoneyType
    amount: int


@dataclass(frozen=True, slots=True)
class ShoeEnded:
    """The shoe is played: its seed is revealed and the racks are emptied."""

    shoe: UUID
    seed: str
    cards_dealt: int
    collected: tuple[CommissionCollected, ...]
    ended_at: datetime


TableEvent = (
    TableOpened
    | SeatTaken
    | SeatChanged
    | Rebought
    | SeatLeft
    | SeatReleased
    | ShoeCommitted
    | ShoeCutContributed
    | ShoeStarted
    | ShoeEnded
    | ShoeRevealed
    | TableClosureAnnounced
    | TableClosed
    | PlayStopped
    | PlayResumed
    | RulesDrafted
    | RulesRejected
    | RulesPublished
    | RulesTookEffect
    | RulesRetired
)
