"""Use cases of moderators: close reports, mute and unmute, ban and unban, edit the lists of filter words."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.chat import rules, storage
from baccarat.chat.events import (
    ChatReportClosed,
    ChatReportOutcome,
    FilterEvent,
    FilterWordAdded,
    FilterWordRemoved,
    ModerationEvent,
    ModerationReason,
    PlayerBanned,
    PlayerMuted,
    PlayerUnbanned,
    PlayerUnmuted,
    chat_filter_stream,
)
from baccarat.chat.masking import is_listable_word, normalize_word
from baccarat.chat.models import ChatReport, ChatReportClosure, FilterWord, ModerationAction
from baccarat.chat.refusals import (
    ChatReportAlreadyClosed,
    FilterWordExists,
    InvalidFilterWord,
    PlayerNotBanned,
    PlayerNotMuted,
    UnknownChatReport,
    UnknownFilterWord,
)
from baccarat.chat.rules import ModerationState, Sanction
from baccarat.chat.storage import CATALOGUE, LockedModeration, PersonalText
from casino.events.ids import new_id
from casino.events.sql import fetch
from casino.events.store import Append, Metadata, append
from casino.operators import services, sessions

STARTER_WORDS: Final = (
    "arschloch", "arsehole", "asshole", "bastard", "bitch", "bullshit", "cunt", "fick", "ficken", "fuck", "fucked",
    "fucker", "fucking", "hure", "hurensohn", "motherfucker", "scheisse", "schlampe", "shit", "twat", "wanker",
    "whore", "wichser",
)  # fmt: skip
"""A short English and German list to begin with; each operator edits its own."""
_LIST_VERSION: Final = "SELECT coalesce(max(version), 0), clock_timestamp() FROM events_event WHERE stream = %s"


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
        sessions.lift_ban(player=locked.player)
        return PlayerUnbanned(*_ids(locked, note), note.digest, locked.now)

    return _act(context, decide)


def close_report(*, operator: UUID, report: UUID, outcome: ChatReportOutcome, note: str, metadata: Metadata) -> None:
    """Close a report with its outcome. Raises UnknownChatReport, ChatReportAlreadyClosed."""
    player = ChatReport.objects.filter(id=report, operator_id=operator).values_list("player_id", flat=True).first()
    if player is None:
        raise UnknownChatReport
    text = storage.new_personal_text(note, subject=report)
    with transaction.atomic():
        locked = storage.lock_moderation(operator=operator, player=player)
        if ChatReportClosure.objects.filter(report_id=report).exists():
            raise ChatReportAlreadyClosed
        event = ChatReportClosed(operator, report, player, outcome, text.digest, locked.now)
        storage.record(locked, event, metadata)
        encrypted = storage.encrypt_personal_text(text, player=player)
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
    services.require_player(operator=context.operator, player=context.player)
    with transaction.atomic():
        locked = storage.lock_moderation(operator=context.operator, player=context.player)
        note = storage.new_personal_text(context.note, subject=new_id(locked.now))
        event = decide(locked, note)
        after = storage.record(locked, event, context.metadata)
        encrypted = storage.encrypt_personal_text(note, player=locked.player)
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


def add_filter_word(*, operator: UUID | None, word: str, metadata: Metadata) -> FilterWordAdded:
    """Mask a word and its look-alikes from now on, in an operator's chats or, with None, in all.

    Raises InvalidFilterWord, FilterWordExists, and VersionConflict where another change of the list came first.
    """
    word = unicodedata.normalize("NFC", word)
    if not is_listable_word(word):
        raise InvalidFilterWord
    normalized = normalize_word(word)
    with transaction.atomic():
        version, now = fetch(_LIST_VERSION, [chat_filter_stream(operator)])[0]
        if _is_listed(operator, normalized):
            raise FilterWordExists
        event = FilterWordAdded(operator, word, normalized, now)
        _append_to_list(event, version, metadata)
        storage.add_word(event)
    return event


def add_starter_words(*, operator: UUID | None, metadata: Metadata) -> int:
    """Add the starter words to a list, and return how many were not on it."""
    listed = set(FilterWord.objects.filter(operator_id=operator).values_list("normalized", flat=True))
    missing = [word for word in STARTER_WORDS if normalize_word(word) not in listed]
    for word in missing:
        add_filter_word(operator=operator, word=word, metadata=metadata)
    return len(missing)


def remove_filter_word(*, operator: UUID | None, word: str, metadata: Metadata) -> None:
    """Take a word off the list. Raises UnknownFilterWord, and VersionConflict as adding does."""
    normalized = normalize_word(unicodedata.normalize("NFC", word))
    with transaction.atomic():
        version, now = fetch(_LIST_VERSION, [chat_filter_stream(operator)])[0]
        if not _is_listed(operator, normalized):
            raise UnknownFilterWord
        _append_to_list(FilterWordRemoved(operator, normalized, now), version, metadata)
        storage.remove_word(operator, normalized)


def _is_listed(operator: UUID | None, normalized: str) -> bool:
    return FilterWord.objects.filter(id=storage.filter_word_id(operator, normalized)).exists()


def _append_to_list(event: FilterEvent, version: int, metadata: Metadata) -> None:
    append([Append(chat_filter_stream(event.operator), version, (CATALOGUE.encode(event),), metadata)])
