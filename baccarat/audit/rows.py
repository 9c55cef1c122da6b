"""What an audit asks of an event: where it stands and what it says, sealed or not, recomputed or not."""

from collections.abc import Sequence
from typing import Any

from casino.events.hash_chain import CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent

Row = CheckedEvent | SealedEvent | RecordedEvent
Batch = tuple[Sequence[Row], Sequence[Any] | None]
"""Events in order, and what their forms have read of them, where that was done."""


def event_location(row: Row) -> str:
    """Name an event by its stream, version and type."""
    return f"event {row.id}, {row.stream} version {row.version}, {row.type}"
