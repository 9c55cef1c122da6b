"""Rows of checkpoints and their keys, as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.checkpoints.document import CheckpointDocument
from casino.events.sql import execute, fetch

NIL_LOG_ID: Final = UUID(int=0)
"""The id of a log whose row is gone: nothing was ever signed for it."""
_COLUMNS: Final = f"""
SELECT coalesce(log.id, '{NIL_LOG_ID}'), number, position, head, root, previous, checkpoint.made_at, key, signature
FROM checkpoints_checkpoint AS checkpoint LEFT JOIN checkpoints_log AS log ON true
"""  # noqa: S608  (constants)
_ADD: Final = """
INSERT INTO checkpoints_checkpoint (number, position, head, root, previous, made_at, key, signature)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""
_UNCOPIED: Final = (
    _COLUMNS + "WHERE NOT EXISTS (SELECT FROM checkpoints_copy AS copy WHERE copy.number = checkpoint.number)"
    " ORDER BY number LIMIT %s"
)
_COPIED: Final = "INSERT INTO checkpoints_copy (number, storage) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_KEYS: Final = """
SELECT id, public, since, until FROM checkpoints_key LEFT JOIN checkpoints_retirement ON key_id = id ORDER BY since, id
"""


@dataclass(frozen=True, slots=True)
class CheckpointKey:
    """A key that has signed here: its public half, and when it may (`until` is None while it is in use)."""

    id: str
    public: bytes
    since: datetime
    until: datetime | None

    def as_json(self) -> dict[str, str | None]:
        """Return what is published of it; times in RFC 3339, UTC."""
        until = None if self.until is None else _text(self.until)
        return {"id": self.id, "public": self.public.hex(), "from": _text(self.since), "until": until}


def log_id() -> UUID:
    """Return the id of this database's log; the one of zeros where somebody has removed it."""
    rows = fetch("SELECT id FROM checkpoints_log")
    return rows[0][0] if rows else NIL_LOG_ID


def latest() -> CheckpointDocument | None:
    return _one(fetch(_COLUMNS + "ORDER BY number DESC LIMIT 1"))


def find_by_number(number: int) -> CheckpointDocument | None:
    return _one(fetch(_COLUMNS + "WHERE number = %s", [number]))


def covering(position: int) -> CheckpointDocument | None:
    """Return the oldest checkpoint whose tree holds that position, or None."""
    return _one(fetch(_COLUMNS + "WHERE position >= %s ORDER BY position, number LIMIT 1", [position]))


def newest_within(position: int) -> CheckpointDocument | None:
    """Return the newest checkpoint whose tree holds no more than that many positions, or None."""
    return _one(fetch(_COLUMNS + "WHERE position <= %s ORDER BY position DESC, number DESC LIMIT 1", [position]))


def list_after(*, after: int, limit: int) -> list[CheckpointDocument]:
    """Return up to `limit` checkpoints with numbers above `after`, in order."""
    return _all(fetch(_COLUMNS + "WHERE number > %s ORDER BY number LIMIT %s", [after, limit]))


def newest_first(*, below: int | None, limit: int) -> list[CheckpointDocument]:
    """Return up to `limit` checkpoints, newest first, those with numbers below `below`."""
    return _all(fetch(_COLUMNS + "WHERE number < %s ORDER BY number DESC LIMIT %s", [below or 2**62, limit]))


def add(checkpoint: CheckpointDocument) -> None:
    """Store a checkpoint. Raises IntegrityError when its number is taken."""
    made = checkpoint
    execute(
        _ADD,
        [made.number, made.position, made.head, made.root, made.previous, made.made_at, made.key, made.signature],
    )


def list_uncopied(*, limit: int) -> list[CheckpointDocument]:
    """Return the oldest checkpoints that are not noted to stand outside."""
    return _all(fetch(_UNCOPIED, [limit]))


def record_copy(number: int, *, storage: str) -> None:
    """Note that the checkpoint stands outside, at `place`; once."""
    execute(_COPIED, [number, storage])


def copied_numbers() -> frozenset[int]:
    """Return the numbers of all checkpoints that are noted to stand outside."""
    return frozenset(number for (number,) in fetch("SELECT number FROM checkpoints_copy"))


def registered_keys() -> list[CheckpointKey]:
    """Return every key that has signed here, oldest first."""
    return [CheckpointKey(*row) for row in fetch(_KEYS)]


def published_keys() -> list[dict[str, str | None]]:
    """Return every key as it is published: {"id", "public", "from", "until"}."""
    return [key.as_json() for key in registered_keys()]


def _text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _one(rows: Sequence[tuple[Any, ...]]) -> CheckpointDocument | None:
    return CheckpointDocument(*rows[0]) if rows else None


def _all(rows: Sequence[tuple[Any, ...]]) -> list[CheckpointDocument]:
    return [CheckpointDocument(*row) for row in rows]
