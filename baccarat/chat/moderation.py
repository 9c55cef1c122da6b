"""Use cases of moderators: close reports, mute and unmute, ban and unban."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from baccarat.chat import recording, rules
from baccarat.chat.events import (
    ChatReportClosed,
    ChatReportOutcome,
    ModerationEvent,
    ModerationReason,
    PlayerBanned,
    PlayerMuted,
    PlayerUnbanned,
    PlayerUnmuted,
)
from baccarat.chat.models import ChatReport, ChatReportClosure, ModerationAction
from baccarat.chat.recording import LockedModeration, PersonalText
from baccarat.chat.refusals import ChatReportAlreadyClosed, PlayerNotBanned, PlayerNotMuted, UnknownChatReport
from baccarat.chat.rules import ModerationState, Sanction
from casino.events.store import Metadata
from casino.operators import bans, queries, sessions


@dataclass(frozen=True, slots=True)
class ModerationContext:
    """Operator, player, note for other staff, and who acts."""

    operator: UUID
    player: UUID
    note: str
    metadata: Metadata

    @property
    def actor(self) -> str:
        return self.metadata.actor


def mute(*, context: ModerationContext, reason: ModerationReason, minutes: int | None) -> ModerationState:
    """Keep a player from writing in chats for some minutes, or permanently; it replaces an earlier mute.

    Raises UnknownPlayer, InvalidModeration.
    """

    def decide(locked: LockedModeration, note: PersonalText) -> ModerationEvent:
        until = rules.sanction_end(minutes, now=locked.now)
        return PlayerMuted(*_ids(locked, note), reason, until, note.digest, locked.now)

    return _act(context, decide)


def unmute(*, context: ModerationContext) -> ModerationState:
    """Let a player write again. Raises UnknownPlayer, PlayerNotMuted."""

    def decide(locked: LockedModeration, note: PersonalText) -> ModerationEvent:
        if not _is_active(locked.state.mute, locked.now):
            raise PlayerNotMuted
        return PlayerUnmuted(*_ids(locked, note), note.digest, locked.now)

    return _act(context, decide)


def ban(*, context: ModerationContext, reason: ModerationReason, minutes: int | None) -> ModerationState:
    """Ban a player from the casino for some minutes, or permanently: sessions end and no new one opens.

    Confirmed wagers are dealt and settled, the seat is released in its time, and money stays the player's: the
    operator's support pays it out. Raises UnknownPlayer, InvalidModeration.
    """

    def decide(locked: LockedModeration, note: PersonalText) -> ModerationEvent:
        until = rules.sanction_end(minutes, now=locked.now)
        sessions.ban_player(operator=locked.operator, player=locked.player, until=until)
        return PlayerBanned(*_ids(locked, note), reason, until, note.digest, locked.now)

    return _act(context, decide)


def unban(*, context: ModerationContext) -> ModerationState:
    """Let a banned player in again. Raises UnknownPlayer, PlayerNotBanned."""

    def decide(locked: LockedModeration, note: PersonalText) -> ModerationEvent:
        if not _is_active(locked.state.ban, locked.now):
            raise PlayerNotBanned
        bans.lift_ban(player=locked.player)
        return PlayerUnbanned(*_ids(locked, note), note.digest, locked.now)

    return _act(context, decide)


def close_report(*, operator: UUID, report: UUID, outcome: ChatReportOutcome, note: str, metadata: Metadata) -> None:
    """Close a report with its outcome. Raises UnknownChatReport, ChatReportAlreadyClosed."""
    player = ChatReport.objects.filter(id=report, operator_id=operator).values_list("player_id", flat=True).first()
    if player is None:
        raise UnknownChatReport
    text = recording.new_personal_text(note, subject=report)
    with transaction.atomic():
        locked = recording.lock_moderation(operator=operator, player=player)
        if ChatReportClosure.objects.filter(report_id=report).exists():
            raise ChatReportAlreadyClosed
        event = ChatReportClosed(operator, report, player, outcome, text.digest, locked.now)
        recording.record(locked, event, metadata)
        encrypted = recording.encrypt_personal_text(text, player=player)
        ChatReportClosure.objects.create(
            report_id=report,
            outcome=outcome.value,
            note=encrypted.text,
            salt=encrypted.salt,
            by=metadata.actor,
            closed_at=locked.now,
        )


def _act(
    context: ModerationContext, decide: Callable[[LockedModeration, PersonalText], ModerationEvent]
) -> ModerationState:
    queries.require_player(operator=context.operator, player=context.player)
    note = recording.new_personal_text(context.note)
    with transaction.atomic():
        locked = recording.lock_moderation(operator=context.operator, player=context.player)
        event = decide(locked, note)
        after = recording.record(locked, event, context.metadata)
        encrypted = recording.encrypt_personal_text(note, player=locked.player)
        sanction = event if isinstance(event, PlayerMuted | PlayerBanned) else None
        ModerationAction.objects.create(
            id=note.subject,
            operator_id=locked.operator,
            player_id=locked.player,
            kind=type(event).__name__,
            reason=None if sanction is None else sanction.reason.value,
            until=None if sanction is None else sanction.until,
            note=encrypted.text,
            salt=encrypted.salt,
            by=context.actor,
            acted_at=locked.now,
        )
    return after


def _ids(locked: LockedModeration, note: PersonalText) -> tuple[UUID, UUID, UUID]:
    return locked.operator, locked.player, note.subject


def _is_active(sanction: Sanction | None, now: datetime) -> bool:
    return sanction is not None and sanction.is_active(now)
