"""Events of a long shoe outside play: committed to in advance, cut by seated players, abandoned."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from baccarat.domain.rules.table_rules import ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCommitted:
    """The seed of the table's next long shoe is committed to, before anybody contributes to its cut.

    Includes its `shape`, because somebody who knows the seed could later choose cards by it.
    """

    shoe: UUID
    number: int
    commitment: str
    committed_at: datetime
    shape: ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCutContributed:
    """A seat set its contribution to the next shoe, 1 to 32 bytes in hex, replacing its earlier one.

    Everyone at the table may see it at once. It can change until that shoe starts.
    """

    shoe: UUID
    seat: int
    player: UUID
    contribution: str
    contributed_at: datetime


@dataclass(frozen=True, slots=True)
class ShoeRevealed:
    """The seed, in hex, of a voided round's own shoe, revealed late because it could not be read when the round was
    voided.
    """

    shoe: UUID
    round: UUID
    seed: str
    revealed_at: datetime


@dataclass(frozen=True, slots=True)
class RevealedSeed:
    """The seed, in hex, of a shoe not played to its end, or not at all; None if it is lost."""

    shoe: UUID
    seed: str | None


@dataclass(frozen=True, slots=True)
class TableClosureAnnounced:
    """The table will close permanently: nothing new starts, and it closes once running play has concluded."""

    by: str
    reason: str
    announced_at: datetime


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is closed and opens no more rounds. Seeds of its shoes that were still secret are revealed."""

    by: str
    reason: str
    closed_at: datetime
    seeds: tuple[RevealedSeed, ...]
