"""Reads of chats: what players see of a table's, what moderators see of a player; each within one operator."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.chat import projection
from baccarat.chat.events import ModerationReason
from baccarat.chat.rules import ModerationState, Sanction
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.services.table_actor import TableActor
from casino.crypto import crypto_shredding
from casino.events.sql import fetch
from casino.operators import queries as operators

Line = dict[str, Any]
_LAST: Final = UUID(int=2**128 - 1)

_STANDING: Final = """
    SELECT sitting.seat, closed.id IS NOT NULL, voice.mute_reason, voice.muted_until,
           voice.mute_reason IS NOT NULL AND (voice.muted_until IS NULL OR voice.muted_until > clock_timestamp())
      FROM baccarat_table AS place
      LEFT JOIN baccarat_sitting AS sitting ON sitting.id = %s
      LEFT JOIN chat_closedchat AS closed ON closed.id = %s
      LEFT JOIN chat_playermoderation AS voice ON voice.player_id = %s
     WHERE place.id = %s AND place.operator_id = %s
"""
_HISTORY: Final = """
    SELECT id, seat, player_id, displayed_text, sent_at FROM chat_chatmessage
     WHERE table_id = %s AND id < %s ORDER BY id DESC LIMIT %s
"""
_OF_PLAYER: Final = """
    SELECT id, table_id, seat, text, displayed_text, sent_at FROM chat_chatmessage
     WHERE player_id = %s AND operator_id = %s AND id < %s ORDER BY id DESC LIMIT %s
"""
_REPORTS: Final = """
    SELECT report.id, report.table_id, report.seat, report.player_id, report.reporter_id, report.reason,
           report.reported_at, report.message_id, message.text, closing.outcome, closing.note, closing.by,
           closing.closed_at
      FROM chat_chatreport AS report
      LEFT JOIN chat_chatreportclosure AS closing ON closing.report_id = report.id
      LEFT JOIN chat_chatmessage AS message ON message.id = report.message_id
     WHERE report.operator_id = %s AND report.id < %s AND (%s OR closing.report_id IS NULL)
     ORDER BY report.id DESC LIMIT %s
"""
_ACTS: Final = """
    SELECT id, kind, reason, until, note, by, acted_at FROM chat_moderationaction
     WHERE player_id = %s AND operator_id = %s AND id < %s ORDER BY id DESC LIMIT %s
"""
_WORDS: Final = """
    SELECT word, normalized, operator_id IS NULL, added_at FROM chat_filterword
     WHERE (operator_id = %s OR operator_id IS NULL) ORDER BY normalized, operator_id IS NULL
"""
_LIST: Final = "SELECT word FROM chat_filterword WHERE operator_id IS NOT DISTINCT FROM %s ORDER BY normalized"
_SHOWN: Final = "SELECT id, displayed_text FROM chat_chatmessage WHERE id = ANY (%s::uuid[])"
_BETWEEN: Final = """
    SELECT id, seat, player_id, sent_at FROM chat_chatmessage
     WHERE table_id = %s AND sent_at >= %s AND sent_at <= %s ORDER BY id
"""


def chat_status(*, actor: TableActor) -> Line:
    """Tell how a table's chat stands for one player: open, can_write, muted. Raises UnknownTable."""
    place = f"{actor.table}/{actor.player}"
    rows = fetch(_STANDING, [place, place, actor.player, actor.table, actor.operator])
    if not rows:
        raise UnknownTable
    seat, closed, reason, until, muted = rows[0]
    ban = Sanction(until, ModerationReason(reason)) if muted else None
    return {
        "open": not closed,
        "can_write": seat is not None and not closed and not muted,
        "muted": present_sanction(ban),
    }


def history(*, table: UUID, viewer: UUID, after: UUID | None, limit: int) -> list[Line]:
    """List a table's messages as players see them, newest first, older than `after`."""
    return [
        present_message(message_id=identity, seat=seat, mine=player == viewer, displayed_text=shown, sent_at=sent_at)
        for identity, seat, player, shown, sent_at in _opened(fetch(_HISTORY, [table, after or _LAST, limit]))
    ]


def present_message(*, message_id: UUID, seat: int, mine: bool, displayed_text: str, sent_at: object) -> Line:
    """Show a message: nobody's id, and the seat that its writer had."""
    return {"id": message_id, "seat": seat, "you": mine, "text": displayed_text, "sent_at": sent_at}


def list_player_messages(*, operator: UUID, player: UUID, after: UUID | None, limit: int) -> list[Line]:
    """List a player's messages as they were written, newest first. Raises UnknownPlayer."""
    operators.require_player(operator=operator, player=player)
    names = ("id", "table", "seat", "written", "shown", "sent_at")
    return _lines(names, fetch(_OF_PLAYER, [player, operator, after or _LAST, limit]))


def reports(*, operator: UUID, include_closed: bool, after: UUID | None, limit: int) -> list[Line]:
    """List an operator's reports, newest first: those that wait, or with `closed` all of them."""
    names = (
        "id", "table", "seat", "player", "reporter", "reason", "reported_at", "message", "written", "outcome", "note",
        "closed_by", "closed_at",
    )  # fmt: skip
    return _lines(names, fetch(_REPORTS, [operator, after or _LAST, include_closed, limit]))


def list_moderation_actions(*, operator: UUID, player: UUID, after: UUID | None, limit: int) -> list[Line]:
    """List what moderators did about a player, newest first."""
    names = ("id", "kind", "reason", "until", "note", "by", "done_at")
    return _lines(names, fetch(_ACTS, [player, operator, after or _LAST, limit]))


def player_moderation(*, operator: UUID, player: UUID) -> Line:
    """Tell what holds for a player: muted and removed, each with until and reason. Raises UnknownPlayer."""
    operators.require_player(operator=operator, player=player)
    return present_moderation(player, projection.load_moderation(operator=operator, player=player))


def present_moderation(player: UUID, conduct: ModerationState) -> Line:
    """Show what moderators have said last about a player, also where its time is over."""
    return {"player": player, "muted": present_sanction(conduct.mute), "removed": present_sanction(conduct.ban)}


def present_sanction(ban: Sanction | None) -> Line | None:
    """Show a mute or a removal; `until` is None for good."""
    return None if ban is None else {"until": ban.until, "reason": ban.reason.value}


def list_filter_words(*, operator: UUID) -> list[Line]:
    """List the words that are masked for an operator, its own and those of all."""
    return _lines(("word", "folded", "all_operators", "added_at"), fetch(_WORDS, [operator]))


def list_own_filter_words(*, operator: UUID | None) -> list[str]:
    """List the words of an operator's own list or, with None, of that of all."""
    return [word for (word,) in fetch(_LIST, [operator])]


def load_displayed_texts(*, messages: Sequence[UUID]) -> dict[UUID, str]:
    """Return messages of any table as players see them, in one query; unknown ones are left out."""
    return dict(_opened(fetch(_SHOWN, [list(messages)]))) if messages else {}


def references(*, table: UUID, since: datetime, until: datetime) -> list[Line]:
    """Name the messages sent at a table in an interval, oldest first, without their words."""
    return _lines(("id", "seat", "player", "sent_at"), fetch(_BETWEEN, [table, since, until]))


def _lines(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[Line]:
    return [dict(zip(names, row, strict=True)) for row in _opened(rows)]


def _opened(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows with what is sealed in them opened, with one question for all keys."""
    sealed = [value for row in rows for value in row if crypto_shredding.is_encrypted(value)]
    texts = iter(crypto_shredding.decrypt_many(sealed))
    return [tuple(next(texts) if crypto_shredding.is_encrypted(value) else value for value in row) for row in rows]
