"""Use cases of moderators: close reports, mute and unmute, remove from the casino and let in again."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import recording, rules
from baccarat.chat.events import (
    ModerationEvent,
    ModerationReason,
    PlayerMuted,
    PlayerUnbanned,
    PlayerBanned,
    PlayerUnmuted,
    ChatReportClosed,
    ReportOutcome,
)
from baccarat.chat.recording import LockedModeration, PersonalText
from baccarat.chat.refusals import ChatReportAlreadyClosed, PlayerNotBanned, PlayerNotMuted, UnknownChatReport
from baccarat.chat.rules import ModerationState, Sanction
from casino.events.sql import execute, fetch
from casino.events.store import Metadata
from casino.operators import bans, queries, sessions

_ACT: Final = """
    INSERT INTO chat_moderationaction (id, operator_id, player_id, kind, reason, until, note, salt, by, acted_at)
    VALUES (%s, %s, %s, %s, %s, %s::timestamptz, %s, %s, %s, %s)
"""
_REPORTED: Final = "SELECT player_id FROM chat_chatreport WHERE id = %s AND operator_id = %s"
_CLOSED: Final = "SELECT FROM chat_chatreportclosure WHERE report_id = %s"
_CLOSE: Final = """
    INSERT INTO chat_chatreportclosure (report_id, outcome, note, salt, by, closed_at) VALUES (%s, %s, %s, %s, %s, %s)
"""


@dataclass(frozen=True, slots=True)
class ModerationContext:
    """Who acts for which operator, about which player, and with what remark for other staff."""

    operator: UUID
    player: UUID
    note: str
    metadata: Metadata

    @property
    def actor(self) -> str:
        """How records name the moderator."""
        return self.metadata.actor


def mute(*, context: ModerationContext, reason: ModerationReason, minutes: int | None) -> ModerationState:
    """Keep a player from writing in chats for so many minutes, for good with None; it replaces a mute before.

    Raises UnknownPlayer, UnknownModeration.
    """

    def judged(page: LockedModeration, words: PersonalText) -> ModerationEvent:
        until = rules.sanction_end(minutes, now=page.now)
        return PlayerMuted(*_about(page, words), reason, until, words.digest, page.now)

    return _act(context, judged)


def unmute(*, context: ModerationContext) -> ModerationState:
    """Let a player write again. Raises UnknownPlayer, NotMuted."""

    def judged(page: LockedModeration, words: PersonalText) -> ModerationEvent:
        if not _holds(page.moderation.mute, page.now):
            raise PlayerNotMuted
        return PlayerUnmuted(*_about(page, words), words.digest, page.now)

    return _act(context, judged)


def ban(*, context: ModerationContext, reason: ModerationReason, minutes: int | None) -> ModerationState:
    """Remove a player from the casino for so many minutes, for good with None: sessions end, none is opened.

    Confirmed wagers are dealt and settled, the seat is freed in its time, and money stays the player's: the operator's
    support pays it out. Raises UnknownPlayer, UnknownModeration.
    """

    def judged(page: LockedModeration, words: PersonalText) -> ModerationEvent:
        until = rules.sanction_end(minutes, now=page.now)
        sessions.ban_player(operator=page.operator, player=page.player, until=until)
        return PlayerBanned(*_about(page, words), reason, until, words.digest, page.now)

    return _act(context, judged)


def unban(*, context: ModerationContext) -> ModerationState:
    """Let a removed player in again. Raises UnknownPlayer, NotRemoved."""

    def judged(page: LockedModeration, words: PersonalText) -> ModerationEvent:
        if not _holds(page.moderation.ban, page.now):
            raise PlayerNotBanned
        bans.lift_ban(player=page.player)
        return PlayerUnbanned(*_about(page, words), words.digest, page.now)

    return _act(context, judged)


def close_report(*, operator: UUID, report: UUID, outcome: ReportOutcome, note: str, metadata: Metadata) -> None:
    """Note what came of a report. Raises UnknownReport, ReportIsClosed."""
    rows = fetch(_REPORTED, [report, operator])
    if not rows:
        raise UnknownChatReport
    player, words = rows[0][0], recording.new_personal_text(note, subject=report)
    with transaction.atomic():
        page = recording.lock_moderation(operator=operator, player=player)
        if fetch(_CLOSED, [report]):
            raise ChatReportAlreadyClosed
        event = ChatReportClosed(operator, report, player, outcome, words.digest, page.now)
        recording.record(page, event, metadata)
        kept = recording.encrypt_personal_text(words, player=player)
        execute(_CLOSE, [report, outcome.value, kept.text, kept.salt, metadata.actor, page.now])


def _act(
    moderator: ModerationContext, judged: Callable[[LockedModeration, PersonalText], ModerationEvent]
) -> ModerationState:
    queries.require_player(operator=moderator.operator, player=moderator.player)
    words = recording.new_personal_text(moderator.note)
    with transaction.atomic():
        page = recording.lock_moderation(operator=moderator.operator, player=moderator.player)
        event = judged(page, words)
        after = recording.record(page, event, moderator.metadata)
        about = (words.subject, page.operator, page.player, type(event).__name__)
        kept = recording.encrypt_personal_text(words, player=page.player)
        execute(_ACT, [*about, *_terms(event), kept.text, kept.salt, moderator.actor, page.now])
    return after


def _terms(event: ModerationEvent) -> tuple[str | None, datetime | None]:
    """Why and until when."""
    return (event.reason.value, event.until) if isinstance(event, PlayerMuted | PlayerBanned) else (None, None)


def _about(page: LockedModeration, words: PersonalText) -> tuple[UUID, UUID, UUID]:
    return page.operator, page.player, words.subject


def _holds(ban: Sanction | None, now: datetime) -> bool:
    return ban is not None and ban.is_active(now)
