"""Use cases of players in a table's chat: say something, report, close and reopen."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import recording, rules
from baccarat.chat.events import ChatMessageSent, PlayerReported
from baccarat.chat.masking import candidates, mask
from baccarat.chat.recording import LockedModeration, PersonalText
from baccarat.chat.refusals import (
    AlreadyReported,
    CannotReportYourself,
    ChatIsClosed,
    OnlySeatedMayWrite,
    SeatIsEmpty,
    UnknownMessage,
)
from baccarat.domain.tables.refusals import UnknownSeat, UnknownTable
from baccarat.services.table_actor import TableActor
from casino.crypto import crypto_shredding
from casino.events.sql import execute, fetch

# One look at all that a message is judged by, and the listed words that are in it.
_FLOOR: Final = """
    SELECT (SELECT seat FROM baccarat_sitting WHERE id = %s),
           EXISTS (SELECT FROM chat_closedchat WHERE id = %s),
           ARRAY(SELECT sent_at FROM chat_chatmessage WHERE player_id = %s ORDER BY sent_at DESC LIMIT %s),
           ARRAY(SELECT normalized FROM chat_filterword WHERE normalized = ANY (%s::text[])
                    AND (operator_id IS NULL OR operator_id = %s))
      FROM baccarat_table WHERE id = %s AND operator_id = %s
"""
_SAY: Final = """
    INSERT INTO chat_chatmessage (id, operator_id, table_id, seat, player_id, text, displayed_text, salt, sent_at)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_ACCUSED: Final = """
    SELECT message.player_id, message.seat FROM baccarat_table AS place
      LEFT JOIN chat_chatmessage AS message ON message.table_id = place.id AND message.id = %s
     WHERE place.id = %s AND place.operator_id = %s
"""
_SITTER: Final = """
    SELECT place.seats, sitting.player_id FROM baccarat_table AS place
      LEFT JOIN baccarat_sitting AS sitting ON sitting.table_id = place.id AND sitting.seat = %s
     WHERE place.id = %s AND place.operator_id = %s
"""
_REPORTS: Final = """
    SELECT ARRAY(SELECT reported_at FROM chat_chatreport WHERE reporter_id = %s ORDER BY reported_at DESC LIMIT %s),
           EXISTS (SELECT FROM chat_chatreport WHERE reporter_id = %s AND message_id = %s::uuid)
"""
_REPORT: Final = """
    INSERT INTO chat_chatreport
        (id, operator_id, table_id, seat, player_id, reporter_id, message_id, reason, salt, reported_at)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_TABLE: Final = "SELECT FROM baccarat_table WHERE id = %s AND operator_id = %s"
_CLOSE: Final = "INSERT INTO chat_closedchat (id, closed_at) VALUES (%s, clock_timestamp()) ON CONFLICT DO NOTHING"
_REOPEN: Final = "DELETE FROM chat_closedchat WHERE id = %s"


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message as everyone at the table sees it."""

    id: UUID
    player: UUID
    seat: int
    displayed_text: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class _Accused:
    player: UUID
    seat: int
    message: UUID | None = None


def say(*, actor: TableActor, text: str) -> SentMessage:
    """Say something at a table, with listed words covered.

    Raises MessageEmpty, MessageTooLong, MessageNotPrintable, UnknownTable, OnlySeatedMayWrite, ChatIsClosed,
    PlayerIsMuted, TooManyMessages.
    """
    words = recording.new_personal_text(rules.normalize_message(text))
    with transaction.atomic(savepoint=False):
        page = recording.lock_moderation(operator=actor.operator, player=actor.player)
        seat, bad = _floor(actor, page, words.text)
        said = SentMessage(words.subject, actor.player, seat, mask(words.text, listed=bad), page.now)
        event = ChatMessageSent(
            actor.operator, actor.table, seat, actor.player, said.id, words.digest, sent_at=page.now
        )
        recording.record(page, event, actor.metadata)
        key = crypto_shredding.get_or_create_cipher(actor.player)
        kept = (key.encrypt_text(words.text), key.encrypt_text(said.displayed_text), key.encrypt_bytes(words.salt))
        execute(_SAY, (said.id, actor.operator, actor.table, seat, actor.player, *kept, page.now))
    return said


def report_message(*, actor: TableActor, message: UUID, reason: str) -> UUID:
    """Report a message to the moderators, once, and return the report's id.

    Raises UnknownTable, UnknownMessage, OwnReport, AlreadyReported, TooManyReports.
    """
    rows = fetch(_ACCUSED, [message, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    player, seat = rows[0]
    if player is None:
        raise UnknownMessage
    return _report(actor, _Accused(player, seat, message), recording.new_personal_text(reason))


def report_player(*, actor: TableActor, seat: int, reason: str) -> UUID:
    """Report who sits in a seat to the moderators, and return the report's id.

    Raises UnknownTable, UnknownSeat, SeatIsEmpty, OwnReport, TooManyReports.
    """
    known = 0 < seat < 2**31
    rows = fetch(_SITTER, [seat if known else 0, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    seats, player = rows[0]
    if not known or seat > seats:
        raise UnknownSeat(seats=seats)
    if player is None:
        raise SeatIsEmpty
    return _report(actor, _Accused(player, seat), recording.new_personal_text(reason))


def set_open(*, actor: TableActor, is_open: bool) -> None:
    """Close a table's chat for one player, or open it again. Raises UnknownTable."""
    if not fetch(_TABLE, [actor.table, actor.operator]):
        raise UnknownTable
    execute(_REOPEN if is_open else _CLOSE, [_place(actor)])


def _floor(guest: TableActor, page: LockedModeration, text: str) -> tuple[int, list[str]]:
    """The writer's seat and the listed words of a message that may be said."""
    place, found = _place(guest), sorted(candidates(text))
    limit = rules.MESSAGES.count
    asked = [place, place, guest.player, limit, found, guest.operator, guest.table, guest.operator]
    rows = fetch(_FLOOR, asked)
    if not rows:
        raise UnknownTable
    seat, closed, before, bad = rows[0]
    if seat is None:
        raise OnlySeatedMayWrite
    if closed:
        raise ChatIsClosed
    rules.require_not_muted(page.moderation, now=page.now)
    rules.require_within_rate(rules.MESSAGES, before, now=page.now)
    return seat, bad


def _report(guest: TableActor, accused: _Accused, words: PersonalText) -> UUID:
    if accused.player == guest.player:
        raise CannotReportYourself
    with transaction.atomic(savepoint=False):
        page = recording.lock_moderation(operator=guest.operator, player=guest.player)
        _require_report(guest, accused, page)
        subject: dict[str, Any] = {
            "operator": guest.operator,
            "report": words.subject,
            "table": guest.table,
            "seat": accused.seat,
            "player": accused.player,
            "reporter": guest.player,
            "message": accused.message,
        }
        event = PlayerReported(**subject, digest=words.digest, reported_at=page.now)
        recording.record(page, event, guest.metadata)
        kept = recording.encrypt_personal_text(words, player=guest.player)
        execute(
            _REPORT,
            [
                words.subject, guest.operator, guest.table, accused.seat, accused.player, guest.player,
                accused.message, kept.text, kept.salt, page.now,
            ],
        )  # fmt: skip
    return words.subject


def _require_report(guest: TableActor, accused: _Accused, page: LockedModeration) -> None:
    asked = [guest.player, rules.REPORTS.count, guest.player, accused.message]
    ((before, reported),) = fetch(_REPORTS, asked)
    if reported:
        raise AlreadyReported
    rules.require_within_rate(rules.REPORTS, before, now=page.now)


def _place(guest: TableActor) -> str:
    return f"{guest.table}/{guest.player}"
