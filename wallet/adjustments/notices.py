"""Notices to players, with a mark once read. Personal, so not in events; messages are encrypted per player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now, execute, fetch
from casino.kernel.errors import Refusal, RefusalKind

_NEWEST: Final = UUID(int=2**128 - 1)
_INSERT: Final = """
    INSERT INTO wallet_notice (id, operator_id, player_id, kind, subject_id, details, message)
    VALUES (%s, %s, %s, %s, %s, %s::jsonb, %s) ON CONFLICT (player_id, kind, subject_id) DO NOTHING
"""
_COLUMNS: Final = "id, operator_id, player_id, kind, subject_id, details::text, message, created_at, read_at"
_LIST: Final = f"""
    SELECT {_COLUMNS} FROM wallet_notice
     WHERE player_id = %s AND operator_id = %s AND id < %s AND (NOT %s OR read_at IS NULL) ORDER BY id DESC LIMIT %s
"""  # noqa: S608  (constants)
_READ: Final = f"""
    UPDATE wallet_notice SET read_at = coalesce(read_at, clock_timestamp())
     WHERE id = %s AND player_id = %s AND operator_id = %s RETURNING {_COLUMNS}
"""  # noqa: S608
_UNREAD: Final = "SELECT count(*) FROM wallet_notice WHERE player_id = %s AND operator_id = %s AND read_at IS NULL"


class UnknownNotice(Refusal):
    code = "unknown_notice"
    kind = RefusalKind.MISSING
    title = "There is no such notice"
    remedy = "Use an id from GET /api/v1/notices."


class NoticeKind(StrEnum):
    """What a notice is about. Values may be added."""

    ADJUSTMENT_CREDIT = "adjustment_credit"
    ADJUSTMENT_DEBIT = "adjustment_debit"


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice: a stable `kind`, its subject, details for a page to show, and a message.

    Amounts in `details` are minor units of its `currency`.
    """

    operator: UUID
    player: UUID
    kind: NoticeKind
    subject: UUID
    details: dict[str, Any]
    message: str = ""


@dataclass(frozen=True, slots=True)
class StoredNotice:
    """A stored notice; `read_at` is None until the player has read it."""

    id: UUID
    notice: Notice
    created_at: datetime
    read_at: datetime | None


def notify_player(notice: Notice) -> None:
    """Store a notice, once for each kind and subject, in the caller's transaction."""
    details = msgspec.json.encode(notice.details).decode()
    message = crypto_shredding.encrypt_text(notice.player, notice.message)
    execute(
        _INSERT, [new_id(database_now()), notice.operator, notice.player, notice.kind, notice.subject, details, message]
    )


def list_notices(*, operator: UUID, player: UUID, unread: bool, before: UUID | None, limit: int) -> list[StoredNotice]:
    """List a player's notices, or the unread ones, newest first."""
    return _decrypted(fetch(_LIST, [player, operator, before or _NEWEST, unread, limit]))


def count_unread(*, operator: UUID, player: UUID) -> int:
    return int(fetch(_UNREAD, [player, operator])[0][0])


def mark_read(notice: UUID, *, operator: UUID, player: UUID) -> StoredNotice:
    """Mark a notice as read; the first time counts. Raises UnknownNotice."""
    rows = fetch(_READ, [notice, player, operator])
    if not rows:
        raise UnknownNotice
    return _decrypted(rows)[0]


def _decrypted(rows: Sequence[tuple[Any, ...]]) -> list[StoredNotice]:
    messages = crypto_shredding.decrypt_many([row[6] for row in rows])
    return [_stored_notice(row, message or "") for row, message in zip(rows, messages, strict=True)]


def _stored_notice(row: tuple[Any, ...], message: str) -> StoredNotice:
    key, operator, player, kind, subject, details, _, created_at, read_at = row
    return StoredNotice(
        key,
        Notice(operator, player, NoticeKind(kind), subject, msgspec.json.decode(details), message),
        created_at,
        read_at,
    )
