"""Who acts where: a player of an operator at one of its tables, and what to note beside the events."""

from dataclasses import dataclass
from uuid import UUID

from casino.events.store import Metadata


@dataclass(frozen=True, slots=True)
class TableActor:
    """One player's dealings with one table."""

    table: UUID
    operator: UUID
    player: UUID
    metadata: Metadata
