"""An inventory: what tables beside the log held, by digests that are signed. Pure: no clock, no key, no database.

What only grows and is no event, such as significant events and what was said about them, is in no checkpoint. The
document is a line of JSON: "format", "log", "number" (from 1, without gaps), "previous" (hex SHA-256 of the text
before, "" for the first), "made_at" (RFC 3339, UTC), "lots", "covered" (up to which number each table is held by now),
"key" and "signature" (hex Ed25519 over an ASCII line of the format and the JSON of the other members). A lot is the
rows of one table whose numbers are above `after` and up to `upto`: which `columns`, how many `rows`, and the hex
SHA-256 of their texts.
"""

import json
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import msgspec

FORMAT: Final = "casino.inventory.v1"


class TableRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Some rows of a table, by the numbers that it gives them."""

    table: str
    after: int
    upto: int
    columns: tuple[str, ...]
    rows: int
    digest: str

    @property
    def description(self) -> str:
        """Which rows these are, in words."""
        return f"{self.table} {self.after + 1} to {self.upto}"


class TableManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One inventory; the first four members say which one it is."""

    format: str
    log: UUID
    number: int
    previous: str
    made_at: str
    lots: tuple[TableRange, ...]
    covered: dict[str, int]
    key: str
    signature: str = ""


def signed_bytes(inventory: TableManifest) -> bytes:
    """Return the bytes that an inventory's signature is over."""
    said = msgspec.to_builtins(inventory)
    del said["signature"]
    return f"{FORMAT}\n".encode() + _canonical(said)


def serialize(inventory: TableManifest) -> bytes:
    """Return the one text that an inventory is kept as, inside and outside: a line of JSON."""
    return _canonical(msgspec.to_builtins(inventory)) + b"\n"


def parse(text: bytes) -> TableManifest:
    """Read a text back. Raises ValueError for anything that `text_of` would not have written so."""
    found = msgspec.json.decode(text, type=TableManifest)
    if found.format != FORMAT or serialize(found) != text:
        raise ValueError(f"not a text of the format {FORMAT}")
    return found


def fingerprint(text: bytes) -> str:
    """Return what the next inventory names a text by: its SHA-256 in hex."""
    return sha256(text).hexdigest()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
