"""A checkpoint and the bytes that are signed of it. Pure: no clock, no key, no database.

The document is a JSON object: "format", "log" (the id of this log), "number" (from 1, without gaps), "position", "head"
(hex digest of that position), "root" (hex root of the RFC 9162 tree over the digests of positions 1 to `position`),
"previous" (hex SHA-256 of the signed bytes before, "" for the first), "made_at" (RFC 3339, UTC, microseconds), "key"
and "signature" (hex Ed25519, RFC 8032). Signed are the ASCII line `casino.checkpoint.v1` and the JSON of all the other
members, names sorted, no spaces.
"""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

FORMAT: Final = "casino.checkpoint.v1"
_MOMENT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_WHOLE: Final = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_NAMES: Final = frozenset(
    {"format", "log", "number", "position", "head", "root", "previous", "made_at", "key", "signature"}
)


class MalformedCheckpoint(ValueError):
    """A document that is no checkpoint; the message says why."""


@dataclass(frozen=True, slots=True)
class CheckpointDocument:
    """What one checkpoint says of the log. Hashes are raw bytes, `previous` is empty for the first one."""

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
    said = as_json(checkpoint)
    del said["signature"]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"{FORMAT}\n{text}".encode("ascii")


def fingerprint(checkpoint: CheckpointDocument) -> bytes:
    """Return the 32 bytes that the next checkpoint names this one by."""
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
        "made_at": checkpoint.made_at.astimezone(UTC).strftime(_MOMENT),
        "key": checkpoint.key,
        "signature": checkpoint.signature.hex(),
    }


def serialize(checkpoint: CheckpointDocument) -> bytes:
    """Return the one text that a checkpoint is kept as outside: a line of JSON."""
    return json.dumps(as_json(checkpoint), sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


def parse(text: bytes | str) -> CheckpointDocument:
    """Read a document back. Raises Malformed for anything that `text_of` would not have written so."""
    try:
        given = json.loads(text)
    except ValueError as trouble:
        raise MalformedCheckpoint(f"not JSON: {trouble}") from trouble
    if not isinstance(given, dict) or given.keys() != _NAMES or given["format"] != FORMAT:
        raise MalformedCheckpoint(f"not a document of the format {FORMAT}")
    try:
        return _read(given)
    except (TypeError, ValueError, AttributeError) as trouble:
        raise MalformedCheckpoint(f"a member is not as it should be: {trouble}") from trouble


def _read(given: dict[str, Any]) -> CheckpointDocument:
    number, position, key = given["number"], given["position"], given["key"]
    if type(number) is not int or type(position) is not int or number < 1 or position < 1:
        raise ValueError("number and position are whole numbers from 1")
    if not isinstance(key, str) or not key.isascii():
        raise ValueError("key is an ASCII name")
    return CheckpointDocument(
        log=UUID(given["log"]),
        number=number,
        position=position,
        head=_bytes(given["head"], {32}),
        root=_bytes(given["root"], {32}),
        previous=_bytes(given["previous"], {0, 32}),
        made_at=datetime.strptime(given["made_at"], _MOMENT).replace(tzinfo=UTC),
        key=key,
        signature=_bytes(given["signature"], {64}),
    )


def _bytes(digits: str, lengths: set[int]) -> bytes:
    found = bytes.fromhex(digits) if _WHOLE.fullmatch(digits) else None
    if found is None or len(found) not in lengths:
        raise ValueError(f"{digits[:80]!r} is not the hex text of {sorted(lengths)} bytes")
    return found
