"""What happens to a long shoe before it is played, or instead: committed to ahead, cut by those seated, given up."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from baccarat.domain.rules.table_rules import ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCommitted:
    """The seed of the table's next long shoe is committed to, before anybody contributes to its cut.

    With it its `shape` is: who knows the seed could choose cards by it later.
    """

    shoe: UUID
    number: int
    commitment: str
    committed_at: datetime
    shape: ShoeShape


@dataclass(frozen=True, slots=True)
class ShoeCutContributed:
    """A seat chose its contribution to the next shoe, 1 to 32 bytes in hex, in place of an earlier one of that seat.

    Everyone at the table may see it at once. It counts until that shoe starts.
    """

    shoe: UUID
    seat: int
    player: UUID
    contribution: str
    contributed_at: datetime


@dataclass(frozen=True, slots=True)
class ShoeRevealed:
    """The seed of a void round's own shoe, in hex: it could not be read when the round was voided, and now it can."""

    shoe: UUID
    round: UUID
    seed: str
    revealed_at: datetime


@dataclass(frozen=True, slots=True)
class RevealedSeed:
    """The seed of a shoe that is not played to its end, or not at all, in hex; None where it is lost."""

    shoe: UUID
    seed: str | None


@dataclass(frozen=True, slots=True)
class TableClosureAnnounced:
    """The table is to be closed for good: nothing new starts, and it closes once what is in hand has concluded."""

    by: str
    reason: str
    announced_at: datetime


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table opens no more rounds. The seeds of its shoes that were still secret are revealed."""

    by: str
    reason: str
    closed_at: datetime
    seeds: tuple[RevealedSeed, ...]
