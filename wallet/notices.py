"""Notices to players, with a mark once read. Personal, so not in events; messages are encrypted per player.

A notice is a kind and details, not a sentence: the page words it in the player's language (`notice.<kind>` in
baccarat/web/static/play/js/messages). `notify_player` is called in the transaction of every act that takes money or
play from a player. Nothing about a review is told but that there is one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import msgspec

from casino.compliance.complaints import OUTCOMES, ComplaintAnswered
from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import database_now, execute, fetch
from casino.kernel.errors import Missing
from casino.operators.models import Operator

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


class UnknownNotice(Missing):
    title = "There is no such notice"
    remedy = "Use an id from GET /api/v1/notices."


class NoticeKind(StrEnum):
    """What a notice is about. Values may be added."""

    ADJUSTMENT_CREDIT = "adjustment_credit"
    ADJUSTMENT_DEBIT = "adjustment_debit"
    ROUND_VOIDED = "round_voided"
    ROUND_VOIDED_CREDIT = "round_voided_credit"
    ROUND_VOIDED_DEBIT = "round_voided_debit"
    DEPOSIT_REVERSED = "deposit_reversed"
    WITHDRAWAL_REJECTED = "withdrawal_rejected"
    IN_REVIEW = "in_review"
    LIMIT_SET = "limit_set"
    COOLING_OFF = "cooling_off"
    EXCLUDED = "excluded"
    EXCLUDED_PERMANENTLY = "excluded_permanently"
    BLOCKED = "blocked"
    COMPLAINT_RECEIVED = "complaint_received"
    COMPLAINT_MORE_NEEDED = "complaint_more_needed"
    COMPLAINT_UPHELD = "complaint_upheld"
    COMPLAINT_REJECTED = "complaint_rejected"
    COMPLAINT_CLOSED = "complaint_closed"


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice: a stable `kind`, its subject, details for a page to show, and a message.

    Without a subject it is stored each time. Of `details` each is optional: `amount`, `owed` and `limit` are minor
    units of `currency` (a limit on time: minutes), `until` is RFC 3339, `texts` has the operator's words by language.
    """

    operator: UUID
    player: UUID
    kind: NoticeKind
    subject: UUID | None = None
    details: dict[str, Any] = field(default_factory=dict)
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
    details, message = msgspec.json.encode(notice.details).decode(), notice.message
    if not crypto_shredding.is_encrypted(message):
        message = crypto_shredding.encrypt_text(notice.player, message)
    execute(
        _INSERT, [new_id(database_now()), notice.operator, notice.player, notice.kind, notice.subject, details, message]
    )


def tell_of_complaint(event: ComplaintAnswered, message: str) -> None:
    """Tell the player of a complaint how it stands, in the operator's words where it has its own."""
    operator = Operator.objects.get(pk=event.operator)
    details: dict[str, Any] = {"case": event.case, "texts": operator.complaint_texts.get(event.answer, {})}
    if event.due_at is not None:
        details["until"] = event.due_at.isoformat()
    if event.answer in OUTCOMES and operator.dispute_body:
        details["dispute_body"] = {"name": operator.dispute_body, "url": operator.dispute_body_url}
    kind = NoticeKind(f"complaint_{event.answer}")
    notify_player(Notice(event.operator, event.player, kind, details=details, message=message))


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
