"""The links of the chain, each recomputed from its event and the digest before it: an audit's inner loop."""

import struct
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from casino.events.digest import prepared_event_digest
from casino.events.sql import Rows
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding

SEALED_COLUMNS: Final = """seal.position, seal.digest, seal.event_id,
       event.stream, event.version, event.type, event.schema, event.data::text, event.metadata::text,
       CASE WHEN isfinite(event.recorded_at)
       THEN (date_part('epoch', event.recorded_at) * 1000000)::bigint ELSE 0 END"""
"""An event and its seal, for `check_chain`; no event is recorded at an infinite time, nor at 0."""


class CheckedEvent(msgspec.Struct, gc=False):
    """A sealed event whose link was recomputed; the data is canonical."""

    position: int
    id: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes


class Head(NamedTuple):
    """The end of the chain at one moment; position 0 has the genesis digest."""

    position: int
    digest: bytes


GapHandler = Callable[[int, int], bytes | None]
"""Asked where a position does not follow the last one, with both: the digest that it follows from, None for no one.

None leaves the row's own digest unjudged.
"""


def check_chain(
    rows: Rows, link: Head, *, findings: list[Finding], jump: GapHandler
) -> tuple[list[CheckedEvent], Head]:
    """Recompute the rows' links, each from the digest stored before it; returns the events and the last link."""
    before, previous = link
    batch: list[CheckedEvent] = []
    metadata, about = None, b""  # events of one command share it
    for position, stored, event, stream, version, kind, schema, data, said, recorded in rows:
        if stream is None:
            findings.append(Finding("event missing", f"position {position}", f"event {event}", "nothing"))
            before, previous = position, stored
            continue
        if said != metadata:
            metadata, about = said, recanonical(said)
        body = recanonical(data)
        follows: bytes | None = previous if position == before + 1 else jump(before, position)
        name, sort = stream.encode(), kind.encode()
        try:
            if follows is not None and stored != (
                computed := prepared_event_digest(
                    position, event, version, schema, recorded, name, sort, body, about, follows
                )
            ):
                where = f"position {position}, {stream} version {version}, {kind}"
                findings.append(Finding("digest differs", where, stored.hex(), computed.hex()))
        except struct.error as trouble:  # a number that no seal can hold
            where = f"position {position}, {stream} version {version}, {kind}"
            findings.append(Finding("digest differs", where, stored.hex(), f"none: {trouble}"))
        batch.append(CheckedEvent(position, event, stream, version, kind, schema, body))
        before, previous = position, stored
    return batch, Head(before, previous)


def missing_positions(before: int, position: int) -> Finding:
    missing = f"position {before + 1}" if position == before + 2 else f"positions {before + 1} to {position - 1}"
    return Finding("position missing", missing, "a seal", "nothing")
