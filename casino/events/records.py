"""The values that go into the store and come out of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from casino.kernel.errors import Refusal, RefusalKind


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event not yet recorded: its type's name, that type's schema version, and its fields as canonical JSON."""

    type: str
    schema: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Metadata:
    """Who and what led to the events of one append: ids and names only, never personal data."""

    operator: str
    actor: str
    causation: str
    correlation: str
    request: str = ""


@dataclass(frozen=True, slots=True)
class Append:
    """Events for one stream, which must stand at version `expected` exactly; 0 means that it must not exist."""

    stream: str
    expected_version: int
    events: tuple[NewEvent, ...]
    metadata: Metadata


class RecordedEvent(NamedTuple):
    """An event as stored; a named tuple because replay makes millions. The JSON is as PostgreSQL prints a jsonb."""

    id: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes
    metadata: bytes
    recorded_at: datetime


class SealedEvent(NamedTuple):
    """A recorded event with its gapless, commit-ordered position and the 32-byte digest that seals it there."""

    position: int
    digest: bytes
    id: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes
    metadata: bytes
    recorded_at: datetime


class VersionConflict(Refusal):
    """Someone else wrote to the stream first."""

    code = "version_conflict"
    kind = RefusalKind.CONFLICT
    title = "This has changed since you looked"
    remedy = "Read it again and repeat the request if it still makes sense."

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(f"{stream} is at version {actual}, not at {expected}.")
        self.stream = stream
        self.expected = expected
        self.actual = actual
