"""Use cases of players in a table's chat: send a message, report, close and reopen."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import rules, storage
from baccarat.chat.events import ChatMessageSent, PlayerReported
from baccarat.chat.masking import candidates, mask
from baccarat.chat.models import ChatMessage, ChatReport, ClosedChat
from baccarat.chat.refusals import (
    AlreadyReported,
    CannotReportYourself,
    ChatIsClosed,
    NicknameNotAllowed,
    OnlySeatedMayWrite,
    SeatIsEmpty,
    UnknownMessage,
)
from baccarat.chat.storage import LockedModeration
from baccarat.domain.tables.refusals import UnknownSeat, UnknownTable
from baccarat.services.seats import TableActor
from baccarat.storage.models import Table
from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.sql import execute, fetch

# All that a message is checked against, and the listed words that are in it, in one query.
_CHECKS: Final = """
    SELECT (SELECT seat FROM baccarat_sitting WHERE id = %s),
           EXISTS (SELECT FROM chat_closedchat WHERE id = %s),
           ARRAY(SELECT sent_at FROM chat_chatmessage WHERE player_id = %s ORDER BY sent_at DESC LIMIT %s),
           ARRAY(SELECT normalized FROM chat_filterword WHERE normalized = ANY (%s::text[])
                    AND (operator_id IS NULL OR operator_id = %s))
      FROM baccarat_table WHERE id = %s AND operator_id = %s
"""
_LISTED: Final = """
    SELECT EXISTS (SELECT FROM chat_filterword WHERE normalized = ANY (%s::text[])
                      AND (operator_id IS NULL OR operator_id = %s))
"""
_WRITER: Final = """
    SELECT message.player_id, message.seat FROM baccarat_table AS play
      LEFT JOIN chat_chatmessage AS message ON message.table_id = play.id AND message.id = %s
     WHERE play.id = %s AND play.operator_id = %s
"""
_PLAYER_IN_SEAT: Final = """
    SELECT play.seats, sitting.player_id FROM baccarat_table AS play
      LEFT JOIN baccarat_sitting AS sitting ON sitting.table_id = play.id AND sitting.seat = %s
     WHERE play.id = %s AND play.operator_id = %s
"""
_REPORTS: Final = """
    SELECT ARRAY(SELECT reported_at FROM chat_chatreport WHERE reporter_id = %s ORDER BY reported_at DESC LIMIT %s),
           EXISTS (SELECT FROM chat_chatreport WHERE reporter_id = %s AND message_id = %s::uuid)
"""
_CLOSE: Final = "INSERT INTO chat_closedchat (id, closed_at) VALUES (%s, clock_timestamp()) ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message as everyone at the table sees it."""

    id: UUID
    player: UUID
    seat: int
    displayed_text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class _Subject:
    player: UUID
    seat: int
    message: UUID | None = None


def say(*, actor: TableActor, text: str) -> SentMessage:
    """Send a message to a table, with listed words masked.

    Raises MessageEmpty, MessageTooLong, MessageNotPrintable, UnknownTable, OnlySeatedMayWrite, ChatIsClosed,
    PlayerIsMuted, TooManyMessages.
    """
    normalized = rules.normalize_message(text)
    with transaction.atomic(savepoint=False):
        locked = storage.lock_moderation(operator=actor.operator, player=actor.player)
        seat, listed = _require_allowed(actor, locked, normalized)
        original = storage.new_personal_text(normalized, subject=new_id(locked.now))
        message = SentMessage(original.subject, actor.player, seat, mask(original.text, listed=listed), locked.now)
        event = ChatMessageSent(
            actor.operator, actor.table, seat, actor.player, message.id, original.digest, sent_at=locked.now
        )
        storage.record(locked, event, actor.metadata)
        key = crypto_shredding.get_or_create_cipher(actor.player)
        ChatMessage.objects.create(
            id=message.id,
            operator_id=actor.operator,
            table_id=actor.table,
            seat=seat,
            player_id=actor.player,
            text=key.encrypt_text(original.text),
            displayed_text=key.encrypt_text(message.displayed_text),
            salt=key.encrypt_bytes(original.salt),
            sent_at=locked.now,
        )
    return message


def check_nickname(operator: UUID, nickname: str) -> None:
    """Check that no word of a nickname is on the filter lists. Raises NicknameNotAllowed."""
    if fetch(_LISTED, [sorted(candidates(nickname)), operator])[0][0]:
        raise NicknameNotAllowed


def report_message(*, actor: TableActor, message: UUID, reason: str) -> UUID:
    """Report a message to the moderators, once, and return the report's id.

    Raises UnknownTable, UnknownMessage, CannotReportYourself, AlreadyReported, TooManyReports.
    """
    rows = fetch(_WRITER, [message, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    player, seat = rows[0]
    if player is None:
        raise UnknownMessage
    return _report(actor, _Subject(player, seat, message), reason)


def report_player(*, actor: TableActor, seat: int, reason: str) -> UUID:
    """Report the player in a seat to the moderators, and return the report's id.

    Raises UnknownTable, UnknownSeat, SeatIsEmpty, CannotReportYourself, TooManyReports.
    """
    fits = 0 < seat < 2**31
    rows = fetch(_PLAYER_IN_SEAT, [seat if fits else 0, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    seats, player = rows[0]
    if not fits or seat > seats:
        raise UnknownSeat(seats=seats)
    if player is None:
        raise SeatIsEmpty
    return _report(actor, _Subject(player, seat), reason)


def set_open(*, actor: TableActor, is_open: bool) -> None:
    """Close a table's chat for one player, or open it again. Raises UnknownTable."""
    if not Table.objects.filter(id=actor.table, operator_id=actor.operator).exists():
        raise UnknownTable
    if is_open:
        ClosedChat.objects.filter(id=_key(actor)).delete()
    else:
        execute(_CLOSE, [_key(actor)])


def _require_allowed(actor: TableActor, locked: LockedModeration, text: str) -> tuple[int, list[str]]:
    """Check that the player may write. Return the seat and the listed words of the message."""
    key, words = _key(actor), sorted(candidates(text))
    limit = rules.MESSAGES.count
    rows = fetch(_CHECKS, [key, key, actor.player, limit, words, actor.operator, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    seat, closed, before, listed = rows[0]
    if seat is None:
        raise OnlySeatedMayWrite
    if closed:
        raise ChatIsClosed
    rules.require_not_muted(locked.state, now=locked.now)
    rules.require_within_rate(rules.MESSAGES, before, now=locked.now)
    return seat, listed


def _report(actor: TableActor, subject: _Subject, text: str) -> UUID:
    if subject.player == actor.player:
        raise CannotReportYourself
    with transaction.atomic(savepoint=False):
        locked = storage.lock_moderation(operator=actor.operator, player=actor.player)
        _require_report(actor, subject, locked)
        reason = storage.new_personal_text(text, subject=new_id(locked.now))
        event = PlayerReported(
            operator=actor.operator,
            report=reason.subject,
            table=actor.table,
            seat=subject.seat,
            player=subject.player,
            reporter=actor.player,
            message=subject.message,
            digest=reason.digest,
            reported_at=locked.now,
        )
        storage.record(locked, event, actor.metadata)
        encrypted = storage.encrypt_personal_text(reason, player=actor.player)
        ChatReport.objects.create(
            id=event.report,
            operator_id=event.operator,
            table_id=event.table,
            seat=event.seat,
            player_id=event.player,
            reporter_id=event.reporter,
            message_id=event.message,
            reason=encrypted.text,
            salt=encrypted.salt,
            reported_at=event.reported_at,
        )
    return reason.subject


def _require_report(actor: TableActor, subject: _Subject, locked: LockedModeration) -> None:
    ((before, reported),) = fetch(_REPORTS, [actor.player, rules.REPORTS.count, actor.player, subject.message])
    if reported:
        raise AlreadyReported
    rules.require_within_rate(rules.REPORTS, before, now=locked.now)


def _key(actor: TableActor) -> str:
    return f"{actor.table}/{actor.player}"
