"""What an audit asks of an event: where it stands and what it says, sealed or not."""

from typing import Final

from casino.events.hash_chain import CheckedEvent
from casino.events.records import RecordedEvent, SealedEvent

Row = CheckedEvent | SealedEvent | RecordedEvent

BATCH_SIZE: Final = 1000
"""Events read, followed and compared with the database at once."""


def event_location(row: Row) -> str:
    """Name an event by its stream, version and type."""
    return f"event {row.id}, {row.stream} version {row.version}, {row.type}"
