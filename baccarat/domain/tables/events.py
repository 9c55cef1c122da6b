"""Events of a table, in the past tense. Amounts are minor units of the table's currency."""

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
    """A table opened with its first rules. `edge_accepted` lists spots whose player edge the operator accepted.

    `returns` are the spots' theoretical returns, `return_floor` is the operator's minimum return in hundredths of a
    percent, and `acknowledgement` the sentence typed if one was required. `next_shoe` is the shoe of the first round,
    None if the table plays long shoes.
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
    """A player moved more money from account to game balance."""

    seat: int
    player: UUID
    money_type: MoneyType
    amount: int
    rebought_at: datetime


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A player left: `returned` went back to the account, `commission_collected` from the rack to the house."""

    seat: int
    player: UUID
    money_type: MoneyType
    returned: int
    commission_collected: int
    left_at: datetime


class SeatReleaseReason(StrEnum):
    """Why a player's seat is freed."""

    MISSED_ROUNDS = "missed_rounds"
    """The player missed as many turns as the table keeps a seat for."""
    DISCONNECTED = "disconnected"
    """The player was gone for longer than any table keeps a seat."""
    TABLE_CLOSED = "table_closed"
    """The table closes permanently, whether the player is present or not."""


@dataclass(frozen=True, slots=True)
class SeatReleased:
    """The seat of an absent player, or of a player at a closing table, was freed; money moves as on leaving.

    The player missed `missed` turns in a row and was last seen at `last_seen_at`.
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
    """A long shoe was shuffled and cut: its first card was turned over and `burned_count` more were burned.

    The `cut` follows from the `contributions`, in hex, "" without any. `root` is the Merkle root of all its cards, in
    hex. `first_round` is the number of the first round dealt from it.
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
    """The commission in one player's rack, collected at the end of the shoe."""

    seat: int
    player: UUID
    money_type: MoneyType
    amount: int


@dataclass(frozen=True, slots=True)
class ShoeEnded:
    """The shoe ended: its seed is revealed and the racks are emptied."""

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
