"""Files of archived events: lines of position, digest, previous digest and what the digest is over, in gzip.

The two digests are in hex, and the bytes that the event's digest is over (`casino.events.hash_chain`) in base64. So a
file can be verified alone, by `sha256sum` and some lines of Python, and against the seals, which stay in the database.
A file holds whole streams, one after another, each in the order of its versions.
"""

import gzip
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, Final, NamedTuple

from casino.checkpoints.archives import ArchiveFile
from casino.events.hash_chain import GENESIS, HEAD, microseconds, prepared_event_bytes
from casino.events.records import METADATA
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding

MISSING: Final = "archived file is missing"
DIFFERS: Final = "archived file differs from its manifest"
UNSEALED: Final = "archived event differs from its seal"
COLUMNS: Final = f"""seal.position, event.id, event.transaction, event.version, event.schema, event.recorded_at,
       event.stream, event.type, event.data::text, {METADATA}::text, before.digest"""
"""Of an event, its seal and the seal before, for `event_of`."""
_SEALS: Final = """
SELECT seal.position, seal.event_id, seal.digest, before.digest
  FROM events_seal AS seal LEFT JOIN events_seal AS before ON before.position = seal.position - 1
 WHERE seal.position = ANY (%s::bigint[])
"""


class ArchivedEvent(NamedTuple):
    """An event as it was sealed: the bytes that its digest is over, and some of what they say."""

    content: bytes
    position: int
    previous: bytes
    id: int
    version: int
    stream: str
    type: str
    data: str

    @property
    def digest(self) -> bytes:
        return sha256(self.content).digest()

    @classmethod
    def parse(cls, content: bytes) -> "ArchivedEvent":
        """Parse the bytes that a digest is over. Raises ValueError."""
        if len(content) < HEAD.size:
            raise ValueError("an event is cut off")
        _, position, event, _, version, _, _, *lengths, previous = HEAD.unpack_from(content)
        texts, at = [], HEAD.size
        for length in lengths:
            texts.append(content[at : at + length].decode())
            at += length
        if at != len(content):
            raise ValueError(f"the event at position {position} has another length")
        stream, kind, data, _ = texts
        return cls(content, position, previous, event, version, stream, kind, data)


def event_of(row: tuple[Any, ...]) -> ArchivedEvent:
    """Return the event of a row of COLUMNS."""
    position, event, transaction, version, schema, recorded_at, stream, kind, data, metadata, previous = row
    content = prepared_event_bytes(
        position,
        event,
        transaction,
        version,
        schema,
        microseconds(recorded_at),
        stream.encode(),
        kind.encode(),
        recanonical(data),
        recanonical(metadata),
        previous or GENESIS,
    )
    return ArchivedEvent.parse(content)


def encode(events: Sequence[ArchivedEvent]) -> bytes:
    """Return the file of these events; the same events give the same bytes."""
    lines = (
        f"{each.position} {each.digest.hex()} {each.previous.hex()} {b64encode(each.content).decode()}\n"
        for each in events
    )
    return gzip.compress("".join(lines).encode(), mtime=0)


def decode(content: bytes) -> list[ArchivedEvent]:
    """Return the events of a file. Raises ValueError for what `encode` does not return."""
    try:
        lines = gzip.decompress(content).splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
    return list(map(_parse_line, lines))


def _parse_line(line: bytes) -> ArchivedEvent:
    *named, encoded = line.split(b" ")
    event = ArchivedEvent.parse(b64decode(encoded, validate=True))
    if named != [each.encode() for each in (str(event.position), event.digest.hex(), event.previous.hex())]:
        raise ValueError(f"the line of position {event.position} names another position or digest")
    return event


def describe(name: str, content: bytes, events: Sequence[ArchivedEvent]) -> ArchiveFile:
    """Return a file's entry in its manifest."""
    positions = [event.position for event in events]
    return ArchiveFile(
        name=name,
        sha256=sha256(content).hexdigest(),
        rounds=len({event.stream for event in events}),
        events=len(events),
        first=min(positions),
        last=max(positions),
    )


def check(file: ArchiveFile, content: bytes | None) -> Iterator[Finding]:
    """Yield how a file differs from its entry, and its events from their seals."""
    if content is None:
        yield Finding(MISSING, file.name, "a file", "none")
        return
    try:
        events = decode(content)
        described = describe(file.name, content, events)
    except ValueError as error:
        yield Finding(DIFFERS, file.name, "events", str(error))
        return
    if described != file:
        yield Finding(DIFFERS, file.name, str(file), str(described))
    yield from _check_seals(events)


def _check_seals(events: Sequence[ArchivedEvent]) -> Iterator[Finding]:
    """Compare events with the seals in the database, and each stream with a whole one."""
    seals = {position: row for position, *row in fetch(_SEALS, [[event.position for event in events]])}
    for stream, history in groupby(events, key=lambda event: event.stream):
        for version, event in enumerate(history, 1):
            where = f"position {event.position}, {stream} version {event.version}, {event.type}"
            if event.version != version:
                yield Finding(UNSEALED, where, f"version {version}", f"version {event.version}")
            expected = seals.get(event.position)
            if expected is None or [event.id, event.digest, event.previous] != [
                expected[0], bytes(expected[1]), GENESIS if expected[2] is None else bytes(expected[2])
            ]:  # fmt: skip
                sealed = "no seal" if expected is None else f"event {expected[0]}, {bytes(expected[1]).hex()}"
                yield Finding(UNSEALED, where, sealed, f"event {event.id}, {event.digest.hex()}")
