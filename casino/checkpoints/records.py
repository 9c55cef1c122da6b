"""Stored checkpoints with their cosignatures, their copies outside, and the keys that signed them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from casino.crypto.signed_note import TreeHead
from casino.events.sql import execute, fetch

_COLUMNS: Final = """
SELECT checkpoint.size, root, note, made_at, ARRAY(
    SELECT line FROM checkpoints_cosignature AS cosignature WHERE cosignature.size = checkpoint.size ORDER BY witness
) FROM checkpoints_checkpoint AS checkpoint
"""
_COSIGNED: Final = """
WHERE checkpoint.size = (
    SELECT size FROM checkpoints_cosignature WHERE witness = ANY (%s::text[]) AND size >= %s
     GROUP BY size HAVING count(*) >= %s ORDER BY size {} LIMIT 1
)
"""
_ADD: Final = "INSERT INTO checkpoints_checkpoint (size, root, note) VALUES (%s, %s, %s)"
_ADD_COSIGNATURE: Final = """
INSERT INTO checkpoints_cosignature (size, witness, line) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING
"""
_COPIES: Final = """
SELECT number, copy.size, note, checkpoint.made_at
  FROM checkpoints_copy AS copy LEFT JOIN checkpoints_checkpoint AS checkpoint USING (size)
"""
_ADD_COPY: Final = "INSERT INTO checkpoints_copy (number, size) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_ASK: Final = """
INSERT INTO checkpoints_wanted (asked_at) VALUES (clock_timestamp())
ON CONFLICT (single) DO UPDATE SET asked_at = excluded.asked_at
"""
_KEYS: Final = """
SELECT id, public, since, until FROM checkpoints_key LEFT JOIN checkpoints_retirement ON key_id = id ORDER BY since, id
"""


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A stored checkpoint: a signed note over the log's first `size` positions, and the cosignatures that came for it.

    `made_at` is when this database stored it; nobody has signed that.
    """

    size: int
    root: bytes
    note: str
    made_at: datetime
    cosignatures: Sequence[str] = ()

    @property
    def cosigned(self) -> str:
        """The note with its cosignatures."""
        return self.note + "".join(self.cosignatures)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy outside: the checkpoint of that size has that number there. `note` is None if the database lacks it."""

    number: int
    size: int
    note: str | None
    made_at: datetime | None


@dataclass(frozen=True, slots=True)
class CheckpointKey:
    """A key that has signed in this database: its public half and its period (`until` is None while it is in use)."""

    id: str
    public: bytes
    since: datetime
    until: datetime | None

    def as_json(self) -> dict[str, str | None]:
        """Return the published form; times in RFC 3339, UTC."""
        until = None if self.until is None else _rfc3339(self.until)
        return {
            "id": self.id,
            "public_key": self.public.hex(),
            "valid_from": _rfc3339(self.since),
            "valid_until": until,
        }


def ask() -> None:
    """Ask for a checkpoint over what is sealed now: the signer signs one the next time that it looks."""
    execute(_ASK)


def asked_at() -> datetime | None:
    """Return when somebody last asked for a checkpoint, or None."""
    rows = fetch("SELECT asked_at FROM checkpoints_wanted")
    return rows[0][0] if rows else None


def latest() -> SignedCheckpoint | None:
    return _first("ORDER BY size DESC LIMIT 1")


def find(size: int) -> SignedCheckpoint | None:
    return _first("WHERE checkpoint.size = %s", [size])


def covering(position: int) -> SignedCheckpoint | None:
    """Return the oldest checkpoint that covers a position, or None."""
    return _first("WHERE checkpoint.size >= %s ORDER BY size LIMIT 1", [position])


def newest_within(position: int) -> SignedCheckpoint | None:
    """Return the newest checkpoint that covers no more than that many positions, or None."""
    return _first("WHERE checkpoint.size <= %s ORDER BY size DESC LIMIT 1", [position])


def newest_cosigned(by: Sequence[str], *, quorum: int) -> SignedCheckpoint | None:
    """Return the newest checkpoint that so many of these witnesses have cosigned, or None."""
    return _first(_COSIGNED.format("DESC"), [by, 0, quorum])


def oldest_cosigned(size: int, by: Sequence[str], *, quorum: int) -> SignedCheckpoint | None:
    """Return the oldest checkpoint of at least that size that so many of these witnesses have cosigned, or None."""
    return _first(_COSIGNED.format("ASC"), [by, size, quorum])


def list_after(size: int, *, limit: int = 1000) -> list[SignedCheckpoint]:
    """Return checkpoints above a size, in order."""
    return _list("WHERE checkpoint.size > %s ORDER BY size LIMIT %s", [size, limit])


def add(head: TreeHead, note: str) -> None:
    """Store a checkpoint. Raises IntegrityError when there is one of its size."""
    execute(_ADD, [head.size, head.root, note])


def add_cosignature(size: int, witness: str, line: str) -> None:
    """Store a cosignature. Idempotent: the first one stays."""
    execute(_ADD_COSIGNATURE, [size, witness, line])


def cosigned_size(witness: str) -> int:
    """Return the size of the newest checkpoint that a witness has cosigned, as far as is known here."""
    statement = "SELECT coalesce(max(size), 0) FROM checkpoints_cosignature WHERE witness = %s"
    return int(fetch(statement, [witness])[0][0])


def latest_copy() -> Copy | None:
    rows = fetch(f"{_COPIES} ORDER BY number DESC LIMIT 1")
    return Copy(*rows[0]) if rows else None


def find_copy(size: int) -> Copy | None:
    """Return the copy of the checkpoint of that size, or None."""
    rows = fetch(f"{_COPIES} WHERE copy.size = %s", [size])
    return Copy(*rows[0]) if rows else None


def list_copies(*, after: int, limit: int = 1000) -> list[Copy]:
    """Return copies with numbers above `after`, in order."""
    return [Copy(*row) for row in fetch(f"{_COPIES} WHERE number > %s ORDER BY number LIMIT %s", [after, limit])]


def count_copies(*, upto: int) -> int:
    """Return the number of the newest copy of a checkpoint with up to so many positions, 0 if there is none."""
    return int(fetch("SELECT coalesce(max(number), 0) FROM checkpoints_copy WHERE size <= %s", [upto])[0][0])


def add_copy(number: int, size: int) -> None:
    """Record that the storage has a checkpoint under a number. Idempotent."""
    execute(_ADD_COPY, [number, size])


def registered_keys() -> list[CheckpointKey]:
    """Return every key that has signed in this database, oldest first."""
    return [CheckpointKey(*row) for row in fetch(_KEYS)]


def published_keys() -> list[dict[str, str | None]]:
    """Return the published form of every key."""
    return [key.as_json() for key in registered_keys()]


def _rfc3339(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def add_key(name: str, public: bytes, *, since: datetime) -> None:
    execute("INSERT INTO checkpoints_key (id, public, since) VALUES (%s, %s, %s)", [name, public, since])


def retire_key(name: str, *, until: datetime) -> None:
    execute("INSERT INTO checkpoints_retirement (key_id, until) VALUES (%s, %s)", [name, until])


def digest_at(position: int) -> bytes | None:
    """Return the digest of a position of the log, or None."""
    rows = fetch("SELECT digest FROM events_seal WHERE position = %s", [position])
    return bytes(rows[0][0]) if rows else None


def _first(condition: str, parameters: Sequence[Any] = ()) -> SignedCheckpoint | None:
    return next(iter(_list(condition, parameters)), None)


def _list(condition: str, parameters: Sequence[Any]) -> list[SignedCheckpoint]:
    return [
        SignedCheckpoint(size, bytes(root), *others) for size, root, *others in fetch(_COLUMNS + condition, parameters)
    ]
