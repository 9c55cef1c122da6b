"""The hash chain: the digest of each sealed event, and the check of stored digests against their events.

A digest is SHA-256 (FIPS 180-4) over these bytes, in this order; integers are big-endian, nothing is between the parts:

    24          the ASCII text `casino.events.seal/1` and four zero bytes
    8           position, unsigned
    8           event id, unsigned
    8           transaction, unsigned: the number of the append that wrote it
    4           version in its stream, unsigned
    4           schema of its type, unsigned
    8           recorded_at, signed: microseconds since 1970-01-01T00:00:00Z, leap seconds not counted
    4, 4, 4, 4  the lengths in bytes of stream, type, data and metadata, unsigned
    32          the digest at the previous position (32 zero bytes for position 1)
    ...         stream (UTF-8), type (UTF-8), data, metadata (both canonical JSON, see `canonical_json`)

Every text is preceded by its length, so different events never give the same bytes. The metadata is that of the append,
which only its first event in a stream stores.
"""

import struct
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from casino.events.records import METADATA
from casino.events.sql import Rows
from casino.kernel.canonical_json import recanonical
from casino.kernel.findings import Finding, failure

UNREADABLE: Final = "event can't be read"
GENESIS: Final = bytes(32)
"""The previous digest of position 1."""
SEALED_COLUMNS: Final = f"""seal.position, seal.digest, seal.event_id,
       event.transaction, event.stream, event.version, event.type, event.schema, event.data::text, {METADATA}::text,
       CASE WHEN isfinite(event.recorded_at)
       THEN (date_part('epoch', event.recorded_at) * 1000000)::bigint ELSE 0 END"""
"""An event and its seal, for `check_chain`. An infinite time is read as 0, which no event is recorded at either."""

HEAD: Final = struct.Struct(">24sQQQIIqIIII32s")
"""What comes before the four texts."""
_pack: Final = HEAD.pack
_TAG: Final = b"casino.events.seal/1".ljust(24, b"\0")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class CheckedEvent(msgspec.Struct, gc=False):
    """A sealed event whose digest was recomputed; the data is canonical."""

    position: int
    id: int
    transaction: int
    stream: str
    version: int
    type: str
    schema: int
    data: bytes


class Head(NamedTuple):
    """The end of the chain at one moment; position 0 has the genesis digest."""

    position: int
    digest: bytes


Values = tuple[int, int, int, int, int, int, bytes, bytes, bytes, bytes, bytes]
"""Those of `prepared_event_bytes`."""
GapHandler = Callable[[int, int], bytes | None]
"""Called with the last position and the next one when these are not consecutive.

Returns the digest that the next event follows from, or None to leave that event's digest unchecked.
"""


def digest(
    *,
    position: int,
    event: int,
    transaction: int,
    stream: str,
    version: int,
    type: str,  # noqa: A002  (the field's name)
    schema: int,
    data: bytes,
    metadata: bytes,
    recorded_at: datetime,
    previous: bytes,
) -> bytes:
    """Return the 32-byte digest of one sealed event.

    `event` is the event's id, `recorded_at` an aware time, `data` and `metadata` are canonical JSON, `previous` is 32
    bytes. Raises struct.error when a number does not fit its field.
    """
    name, kind, recorded = stream.encode(), type.encode(), microseconds(recorded_at)
    return prepared_event_digest(
        position, event, transaction, version, schema, recorded, name, kind, data, metadata, previous
    )


def microseconds(moment: datetime) -> int:
    """Return the microseconds from 1970-01-01T00:00:00Z to an aware time; negative before it."""
    since = moment - _EPOCH
    return (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds


def prepared_event_digest(*values: *Values) -> bytes:
    """Return the digest of values that are encoded already, in the order of the layout.

    For callers that recompute millions. Raises struct.error when a number does not fit its field.
    """
    return sha256(prepared_event_bytes(*values)).digest()


def prepared_event_bytes(  # noqa: PLR0917  (positional, because keywords cost more than some of the work)
    position: int,
    event: int,
    transaction: int,
    version: int,
    schema: int,
    recorded: int,
    stream: bytes,
    type: bytes,  # noqa: A002  (the field's name)
    data: bytes,
    metadata: bytes,
    previous: bytes,
) -> bytes:
    """Return the bytes that a digest is over, of values that are encoded already."""
    head = _pack(
        _TAG,
        position,
        event,
        transaction,
        version,
        schema,
        recorded,
        len(stream),
        len(type),
        len(data),
        len(metadata),
        previous,
    )
    return b"".join((head, stream, type, data, metadata))


def check_chain(
    rows: Rows, head: Head, *, findings: list[Finding], on_gap: GapHandler
) -> tuple[list[CheckedEvent], Head]:
    """Recompute the digest of each row from the digest stored before it; return the events and the new head."""
    before, previous = head
    events: list[CheckedEvent] = []
    cached_metadata, canonical_metadata = None, b""  # events of one command share it
    for position, stored, event, transaction, stream, version, kind, schema, data, metadata, recorded in rows:
        if stream is None:
            findings.append(Finding("event missing", f"position {position}", f"event {event}", "nothing"))
            before, previous = position, stored
            continue
        follows: bytes | None = previous if position == before + 1 else on_gap(before, position)
        before, previous = position, stored
        try:
            if metadata != cached_metadata:
                cached_metadata, canonical_metadata = metadata, recanonical(metadata)
            body = recanonical(data)
            name, type_name = stream.encode(), kind.encode()
            if follows is not None and stored != (
                computed := prepared_event_digest(
                    position,
                    event,
                    transaction,
                    version,
                    schema,
                    recorded,
                    name,
                    type_name,
                    body,
                    canonical_metadata,
                    follows,
                )
            ):
                where = _where(position, stream, version, kind)
                findings.append(Finding("digest differs", where, stored.hex(), computed.hex()))
        except struct.error as error:  # a number that no seal can hold
            findings.append(
                Finding("digest differs", _where(position, stream, version, kind), stored.hex(), f"none: {error}")
            )
        except Exception as error:  # noqa: BLE001  (JSON that PostgreSQL keeps and nothing reads)
            findings.append(failure(_where(position, stream, version, kind), error, kind=UNREADABLE))
            continue
        events.append(CheckedEvent(position, event, transaction, stream, version, kind, schema, body))
    return events, Head(before, previous)


def _where(position: int, stream: str, version: int, kind: str) -> str:
    return f"position {position}, {stream} version {version}, {kind}"


def missing_positions(before: int, position: int) -> Finding:
    missing = f"position {before + 1}" if position == before + 2 else f"positions {before + 1} to {position - 1}"
    return Finding("position missing", missing, "a seal", "nothing")
