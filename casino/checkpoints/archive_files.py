"""Files of archived events: Parquet, in which each event is as it was stored and has its position and digests.

A file holds whole streams, one after another, each in the order of its versions. `metadata` is null where the database
has none: it is that of the event before in its stream. An event's digest is over its content, its position and
`previous`, so that a file can be verified alone, and against the seals, which stay in the database.
"""

import io
from collections.abc import Iterator, Sequence
from datetime import UTC
from hashlib import sha256
from itertools import groupby
from typing import Any, Final, NamedTuple

from casino.checkpoints.archives import ArchiveFile
from casino.events.hash_chain import GENESIS, digest
from casino.events.sql import fetch
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding

MISSING: Final = "archived file is missing"
DIFFERS: Final = "archived file differs from its manifest"
UNSEALED: Final = "archived event differs from its seal"
COLUMNS: Final = """seal.position, seal.digest, before.digest, event.id, event.transaction, event.recorded_at,
       event.version, event.schema, event.stream, event.type, event.data::text, event.metadata::text"""
"""Of an event, its seal and the seal before, in the order of `ArchivedEvent`."""
_SEALS: Final = """
SELECT seal.position, seal.event_id, seal.digest, before.digest
  FROM events_seal AS seal LEFT JOIN events_seal AS before ON before.position = seal.position - 1
 WHERE seal.position = ANY (%s::bigint[])
"""


class ArchivedEvent(NamedTuple):
    """A row of a file."""

    position: int
    digest: bytes
    previous: bytes
    id: int
    transaction: int
    recorded_at: Any
    version: int
    schema: int
    stream: str
    type: str
    data: str
    metadata: str | None


def encode(events: Sequence[ArchivedEvent]) -> bytes:
    """Return the file of these events; the same events give the same bytes."""
    import pyarrow as arrow
    from pyarrow import parquet

    columns = list(zip(*events, strict=True))
    arrays = [arrow.array(column, type=kind) for column, kind in zip(columns, _types(), strict=True)]
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(arrays, names=list(ArchivedEvent._fields)), sink, compression="zstd")
    return sink.getvalue()


def decode(content: bytes) -> list[ArchivedEvent]:
    """Return the events of a file. Raises ValueError for what `encode` does not return."""
    from pyarrow import parquet

    try:
        table = parquet.read_table(io.BytesIO(content))
    except OSError as error:
        raise ValueError(str(error)) from error
    names, types = list(ArchivedEvent._fields), _types()
    if table.schema.names != names or table.schema.types != types:
        raise ValueError(f"columns {table.schema.names}")
    return [ArchivedEvent(*row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def payload_table(content: bytes) -> Any:
    """Return the ids and payloads of a file, whose digest was compared before, as a table for `payloads`."""
    from pyarrow import parquet

    return parquet.read_table(io.BytesIO(content), columns=["id", "data"])


def payloads(table: Any, events: Sequence[int]) -> dict[int, str]:
    """Return the payloads of those of the events that the table has, by id."""
    import pyarrow as arrow
    from pyarrow import compute

    some = table.filter(compute.is_in(table["id"], value_set=arrow.array(events, arrow.int64())))
    return dict(zip(some["id"].to_pylist(), some["data"].to_pylist(), strict=True))


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
        metadata = "null"
        for version, event in enumerate(history, 1):
            where = f"position {event.position}, {stream} version {event.version}, {event.type}"
            if event.version != version:
                yield Finding(UNSEALED, where, f"version {version}", f"version {event.version}")
            metadata = metadata if event.metadata is None else event.metadata
            expected = seals.get(event.position)
            computed = _digest(event, metadata)
            if expected is None or [event.id, computed, event.previous] != [
                expected[0], bytes(expected[1]), GENESIS if expected[2] is None else bytes(expected[2])
            ]:  # fmt: skip
                sealed = "no seal" if expected is None else f"event {expected[0]}, {bytes(expected[1]).hex()}"
                yield Finding(UNSEALED, where, sealed, f"event {event.id}, {computed.hex()}")


def _digest(event: ArchivedEvent, metadata: str) -> bytes:
    return digest(
        position=event.position,
        event=event.id,
        transaction=event.transaction,
        stream=event.stream,
        version=event.version,
        type=event.type,
        schema=event.schema,
        data=recanonical(event.data),
        metadata=recanonical(metadata),
        recorded_at=event.recorded_at.astimezone(UTC),
        previous=event.previous,
    )


def _types() -> list[Any]:
    """Return the type of each column."""
    import pyarrow as arrow

    return [
        arrow.int64(),
        arrow.binary(32),
        arrow.binary(32),
        *[arrow.int64()] * 2,
        arrow.timestamp("us", tz="UTC"),
        arrow.int32(),
        arrow.int16(),
        *[arrow.string()] * 4,
    ]
