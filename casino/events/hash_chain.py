"""The links of the chain, each recomputed from its event and the digest before it: an audit's inner loop."""

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from casino.events.digest import prepared_event_digest
from casino.events.sql import Rows
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding

SEALED_COLUMNS: Final = """seal.position, seal.digest, seal.event_id, event.stream, event.version, event.type, event.schema,
       event.data::text, event.metadata::text, CASE WHEN isfinite(event.recorded_at)
       THEN (date_part('epoch', event.recorded_at) * 1000000)::bigint ELSE 0 END"""
"""What a row of the log holds for `check`, of an event and its seal; at no time at all is none recorded, nor at 0."""

Decoders = Mapping[tuple[str, int], Callable[[str | bytes], Any]]
"""Reads some events, by name and schema, into structs that, written again, give the canonical bytes.

So their fields stand in canonical order, none may lack or be too many, and none is converted when it is read, but to
an enum of texts. They raise msgspec.DecodeError for any other data.
"""


class CheckedEvent(msgspec.Struct, gc=False):
    """A sealed event whose link was recomputed, as far as it is still wanted; the data is canonical."""

    position: int
    id: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes


CheckedBatch = tuple[Sequence[CheckedEvent], Sequence[Any]]
"""Events, and as many values: what their forms have read of them, None where there is no form."""

_write: Final = msgspec.json.Encoder(order="deterministic").encode


class MetadataFields(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The metadata of an event, as such a struct."""

    actor: str
    causation: str
    correlation: str
    operator: str
    request: str


_metadata: Final = msgspec.json.Decoder(MetadataFields).decode


class Head(NamedTuple):
    """The end of the chain at one moment; position 0 has the genesis digest."""

    position: int
    digest: bytes


GapHandler = Callable[[int, int], bytes | None]
"""Asked where a position does not follow the last one, with both: the digest that it follows from, None for no one.

None leaves the row's own digest unjudged.
"""


def check_chain(  # noqa: PLR0917  (by position: the inner loop's only callers)
    rows: Rows,
    link: Head,
    batch: list[CheckedEvent],
    values: list[Any],
    forms: Decoders,
    findings: list[Finding],
    jump: GapHandler,
) -> Head:
    """The rows' links, each to the digest stored before it. Written for speed: this is the audit's inner loop."""
    before, previous = link
    metadata, about = None, b""  # events of one command share it
    keep, add, form_of, write = batch.append, values.append, forms.get, _write
    for position, stored, event, stream, version, kind, schema, data, said, recorded in rows:
        if stream is None:
            findings.append(Finding("event missing", f"position {position}", f"event {event}", "nothing"))
            before, previous = position, stored
            continue
        if said != metadata:
            metadata, about = said, _about(said)
        value, form = None, form_of((kind, schema))
        if form is None:
            body = recanonical(data)
        else:
            try:
                value = form(data)
                body = write(value)
            except msgspec.DecodeError:
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
        keep(CheckedEvent(position, event, stream, version, kind, schema, body))
        add(value)
        before, previous = position, stored
    return Head(before, previous)


def _about(said: str) -> bytes:
    """The canonical bytes of metadata, by the shortest way where it has its usual fields."""
    try:
        return _write(_metadata(said))
    except msgspec.DecodeError:
        return recanonical(said)


def missing_positions(before: int, position: int) -> Finding:
    missing = f"position {before + 1}" if position == before + 2 else f"positions {before + 1} to {position - 1}"
    return Finding("position missing", missing, "a seal", "nothing")
