"""A checkpoint as a document, and the bytes that its signature is over. Pure: no clock, no key, no database.

The document is a JSON object: "format", "log" (the id of this log), "number" (from 1, without gaps), "position", "head"
(hex digest of that position), "root" (hex root of the RFC 9162 tree over the digests of positions 1 to `position`),
"previous" (hex SHA-256 of the previous checkpoint's signed bytes, "" for the first), "made_at" (RFC 3339, UTC,
microseconds), "key" and "signature" (hex Ed25519, RFC 8032) over the ASCII line `casino.checkpoint.v1` and the JSON of
all other members, names sorted, no spaces.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from casino.checkpoints import signed_lines

FORMAT: Final = "casino.checkpoint.v1"
_TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_HEX_BYTES: Final = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_NAMES: Final = frozenset(
    {"format", "log", "number", "position", "head", "root", "previous", "made_at", "key", "signature"}
)


class MalformedCheckpoint(ValueError):
    """A text that is not a checkpoint; the message says why."""


@dataclass(frozen=True, slots=True)
class CheckpointDocument:
    """A checkpoint. Hashes are raw bytes; `previous` is empty for the first one."""

    log: UUID
    number: int
    position: int
    head: bytes
    root: bytes
    previous: bytes
    made_at: datetime
    key: str
    signature: bytes = b""


def signed_bytes(checkpoint: CheckpointDocument) -> bytes:
    """Return the bytes that a checkpoint's signature is over."""
    return signed_lines.signed_bytes(as_json(checkpoint))


def fingerprint(checkpoint: CheckpointDocument) -> bytes:
    """Return the 32 bytes by which the next checkpoint refers to this one."""
    return sha256(signed_bytes(checkpoint)).digest()


def as_json(checkpoint: CheckpointDocument) -> dict[str, Any]:
    """Return the document, JSON-ready."""
    return {
        "format": FORMAT,
        "log": str(checkpoint.log),
        "number": checkpoint.number,
        "position": checkpoint.position,
        "head": checkpoint.head.hex(),
        "root": checkpoint.root.hex(),
        "previous": checkpoint.previous.hex(),
        "made_at": checkpoint.made_at.astimezone(UTC).strftime(_TIME_FORMAT),
        "key": checkpoint.key,
        "signature": checkpoint.signature.hex(),
    }


def serialize(checkpoint: CheckpointDocument) -> bytes:
    """Return the form in which a checkpoint is copied: a line of JSON."""
    return signed_lines.serialize(as_json(checkpoint))


def parse(text: bytes | str) -> CheckpointDocument:
    """Parse a document. Raises MalformedCheckpoint."""
    try:
        members = json.loads(text)
    except ValueError as error:
        raise MalformedCheckpoint(f"not JSON: {error}") from error
    if not isinstance(members, dict) or members.keys() != _NAMES or members["format"] != FORMAT:
        raise MalformedCheckpoint(f"not a document of the format {FORMAT}")
    try:
        return _from_json(members)
    except (TypeError, ValueError, AttributeError) as error:
        raise MalformedCheckpoint(f"a member is malformed: {error}") from error


def _from_json(members: dict[str, Any]) -> CheckpointDocument:
    number, position, key = members["number"], members["position"], members["key"]
    if type(number) is not int or type(position) is not int or number < 1 or position < 1:
        raise ValueError("number and position are whole numbers from 1")
    if not isinstance(key, str) or not key.isascii():
        raise ValueError("key is an ASCII name")
    return CheckpointDocument(
        log=UUID(members["log"]),
        number=number,
        position=position,
        head=_bytes(members["head"], {32}),
        root=_bytes(members["root"], {32}),
        previous=_bytes(members["previous"], {0, 32}),
        made_at=datetime.strptime(members["made_at"], _TIME_FORMAT).replace(tzinfo=UTC),
        key=key,
        signature=_bytes(members["signature"], {64}),
    )


def _bytes(digits: str, lengths: set[int]) -> bytes:
    raw = bytes.fromhex(digits) if _HEX_BYTES.fullmatch(digits) else None
    if raw is None or len(raw) not in lengths:
        raise ValueError(f"{digits[:80]!r} is not the hex text of {sorted(lengths)} bytes")
    return raw
