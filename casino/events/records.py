"""Events and appends as values: what goes into the store and comes out of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from casino.kernel.errors import Refusal

METADATA: Final = """coalesce(event.metadata, (
    SELECT first.metadata FROM events_event AS first
     WHERE first.stream = event.stream AND first.version < event.version AND first.metadata IS NOT NULL
     ORDER BY first.version DESC LIMIT 1), 'null')"""
"""The metadata of `event`, in SQL. It is stored once for an append to a stream: with the first event."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be recorded: its type's name, that type's schema version, and its fields as canonical JSON."""

    type: str
    schema: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Metadata:
    """The actor and cause of the events of one append: ids and names only, never personal data.

    `correlation` is what they belong to where neither their streams nor the request says so. What is empty is not
    stored.
    """

    operator: str
    actor: str
    causation: str
    correlation: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class Append:
    """Events for one stream, which must be at exactly `expected_version`; 0 means that it must not exist yet."""

    stream: str
    expected_version: int
    events: tuple[NewEvent, ...]
    metadata: Metadata


class RecordedEvent(NamedTuple):
    """An event as stored; a named tuple because replay creates millions. The JSON is as it was written.

    `transaction` is the number of the append that wrote it: all of its events, on all streams, have it, and no others.
    """

    id: int
    transaction: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes
    metadata: bytes
    recorded_at: datetime


class SealedEvent(NamedTuple):
    """A recorded event with its gapless, commit-ordered position and its 32-byte digest."""

    position: int
    digest: bytes
    id: int
    transaction: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes
    metadata: bytes
    recorded_at: datetime


class VersionConflict(Refusal):
    """Another writer appended to the stream first."""

    title = "This has changed since you looked"
    remedy = "Read it again and repeat the request if it still makes sense."

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(f"{stream} is at version {actual}, not at {expected}.")
        self.stream = stream
        self.expected = expected
        self.actual = actual
