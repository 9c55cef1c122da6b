"""The player of an operator acting at one of its tables, and the metadata to record with events."""

from dataclasses import dataclass
from uuid import UUID

from casino.events.store import Metadata


@dataclass(frozen=True, slots=True)
class TableActor:
    """A player acting at one table."""

    table: UUID
    operator: UUID
    player: UUID
    metadata: Metadata
