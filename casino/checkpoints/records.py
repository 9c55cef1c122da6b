"""Stored checkpoints, their copies and the keys that signed them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.checkpoints.document import CheckpointDocument
from casino.events.sql import execute, fetch

NIL_LOG_ID: Final = UUID(int=0)
"""The id of a log whose row was removed; no checkpoint was ever signed for it."""
_COLUMNS: Final = f"""
SELECT coalesce(log.id, '{NIL_LOG_ID}'), number, position, head, root, previous, checkpoint.made_at, key, signature
FROM checkpoints_checkpoint AS checkpoint LEFT JOIN checkpoints_log AS log ON true
"""  # noqa: S608  (constants)
_STORED: Final = ("number", "position", "head", "root", "previous", "made_at", "key", "signature")
_ADD: Final = f"INSERT INTO checkpoints_checkpoint ({', '.join(_STORED)}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"  # noqa: S608
_NOT_COPIED: Final = """
WHERE NOT EXISTS (SELECT FROM checkpoints_copy AS copy WHERE copy.number = checkpoint.number) ORDER BY number LIMIT %s
"""
_ADD_COPY: Final = "INSERT INTO checkpoints_copy (number, storage) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_ASK: Final = """
INSERT INTO checkpoints_wanted (asked_at) VALUES (clock_timestamp())
ON CONFLICT (single) DO UPDATE SET asked_at = excluded.asked_at
"""
_KEYS: Final = """
SELECT id, public, since, until FROM checkpoints_key LEFT JOIN checkpoints_retirement ON key_id = id ORDER BY since, id
"""


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


def log_id() -> UUID:
    """Return the id of this database's log, or NIL_LOG_ID if its row was removed."""
    rows = fetch("SELECT id FROM checkpoints_log")
    return rows[0][0] if rows else NIL_LOG_ID


def ask() -> None:
    """Ask for a checkpoint over what is sealed now: the signer signs one the next time that it looks."""
    execute(_ASK)


def asked_at() -> datetime | None:
    """Return when somebody last asked for a checkpoint, or None."""
    rows = fetch("SELECT asked_at FROM checkpoints_wanted")
    return rows[0][0] if rows else None


def latest() -> CheckpointDocument | None:
    return _first("ORDER BY number DESC LIMIT 1")


def find_by_number(number: int) -> CheckpointDocument | None:
    return _first("WHERE number = %s", [number])


def covering(position: int) -> CheckpointDocument | None:
    """Return the oldest checkpoint that covers a position, or None."""
    return _first("WHERE position >= %s ORDER BY position, number LIMIT 1", [position])


def newest_within(position: int) -> CheckpointDocument | None:
    """Return the newest checkpoint that covers no more than that many positions, or None."""
    return _first("WHERE position <= %s ORDER BY position DESC, number DESC LIMIT 1", [position])


def list_after(*, after: int, limit: int) -> list[CheckpointDocument]:
    """Return up to `limit` checkpoints with numbers above `after`, in order."""
    return _list("WHERE number > %s ORDER BY number LIMIT %s", [after, limit])


def newest_first(*, below: int | None, limit: int) -> list[CheckpointDocument]:
    """Return up to `limit` checkpoints with numbers below `below`, newest first."""
    return _list("WHERE number < %s ORDER BY number DESC LIMIT %s", [below or 2**62, limit])


def add(checkpoint: CheckpointDocument) -> None:
    """Store a checkpoint. Raises IntegrityError when its number is taken."""
    execute(_ADD, [getattr(checkpoint, name) for name in _STORED])


def list_uncopied(*, limit: int) -> list[CheckpointDocument]:
    """Return the oldest checkpoints without a recorded copy."""
    return _list(_NOT_COPIED, [limit])


def record_copy(number: int, *, storage: str) -> None:
    """Record that a checkpoint was copied to a storage. Idempotent."""
    execute(_ADD_COPY, [number, storage])


def copied_numbers() -> frozenset[int]:
    """Return the numbers of all checkpoints with a recorded copy."""
    return frozenset(number for (number,) in fetch("SELECT number FROM checkpoints_copy"))


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


def _first(condition: str, parameters: Sequence[Any] = ()) -> CheckpointDocument | None:
    return next(iter(_list(condition, parameters)), None)


def _list(condition: str, parameters: Sequence[Any]) -> list[CheckpointDocument]:
    return [CheckpointDocument(*row) for row in fetch(_COLUMNS + condition, parameters)]
