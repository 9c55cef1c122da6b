"""The fields of an event that an audit reads, sealed or not."""

from typing import Final

from casino.events.hash_chain import CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent

Row = CheckedEvent | SealedEvent | RecordedEvent

BATCH_SIZE: Final = 1000
"""Number of events read, replayed and compared with the database at once."""


def event_location(row: Row) -> str:
    """Format an event's location: stream, version and type."""
    return f"event {row.id}, {row.stream} version {row.version}, {row.type}"
