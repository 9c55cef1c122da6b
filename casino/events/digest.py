"""The digest of a sealed event: SHA-256 (FIPS 180-4) over bytes that only one event at one position can have.

The bytes, in this order; integers are big-endian, and there is nothing between the parts:

    24          the ASCII text `casino.events.seal/1` and four zero bytes
    8           position, unsigned
    8           event id, unsigned
    4           version in its stream, unsigned
    4           schema of its type, unsigned
    8           recorded_at, signed: microseconds since 1970-01-01T00:00:00Z, leap seconds not counted
    4, 4, 4, 4  the lengths in bytes of stream, type, data and metadata, unsigned
    32          the digest at the position before (32 zero bytes before position 1)
    ...         stream (UTF-8), type (UTF-8), data, metadata (both canonical JSON, see `canonical`)

Every length stands before the text it measures, so no two different events give the same bytes.
"""

from datetime import UTC, datetime
from hashlib import sha256
from struct import Struct
from typing import Final

GENESIS: Final = bytes(32)
"""What stands for the digest before position 1."""

_pack: Final = Struct(">24sQQIIqIIII32s").pack
_TAG: Final = b"casino.events.seal/1".ljust(24, b"\0")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def digest(
    *,
    position: int,
    event: int,
    stream: str,
    version: int,
    type: str,  # noqa: A002  (the field's word)
    schema: int,
    data: bytes,
    metadata: bytes,
    recorded_at: datetime,
    previous: bytes,
) -> bytes:
    """Return the 32-byte digest of one sealed event, laid out as the module says.

    `event` is the event's id, `recorded_at` an aware time, `data` and `metadata` are canonical JSON, `previous` is 32
    bytes. Raises struct.error when a number does not fit its place.
    """
    name, kind, recorded = stream.encode(), type.encode(), microseconds(recorded_at)
    return prepared_event_digest(position, event, version, schema, recorded, name, kind, data, metadata, previous)


def microseconds(moment: datetime) -> int:
    """Return how many microseconds an aware time is after 1970-01-01T00:00:00Z; before it, below zero."""
    since = moment - _EPOCH
    return (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds


def prepared_event_digest(  # noqa: PLR0917  (by position, as keywords cost more than some of the work)
    position: int,
    event: int,
    version: int,
    schema: int,
    recorded: int,
    stream: bytes,
    type: bytes,  # noqa: A002  (the field's word)
    data: bytes,
    metadata: bytes,
    previous: bytes,
) -> bytes:
    """Return the digest of values that are bytes and `microseconds` already, in the order of the layout.

    For those who recompute millions. Raises struct.error when a number does not fit its place.
    """
    head = _pack(
        _TAG, position, event, version, schema, recorded, len(stream), len(type), len(data), len(metadata), previous
    )
    return sha256(b"".join((head, stream, type, data, metadata))).digest()
