"""Events of chats. Personal texts are stored beside the log; events have their digests: SHA-256 over a salt, the text's
subject, and the text. The salt is stored with the text, so that once both are erased, not even a short text can be
guessed from the log.

A player's stream `chat-{player}` holds what that player sent and reported, and what moderators did about the player. An
operator's filter words are the stream `chat-filter-{operator}`, those for all operators `chat-filter-everyone`.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

SALT_BYTES: Final = 16
"""Bytes."""
_DOMAIN: Final = b"casino chat 1\n"


class ModerationReason(StrEnum):
    """The reason of a mute or ban."""

    LANGUAGE = "language"
    HARASSMENT = "harassment"
    THREATS = "threats"
    SPAM = "spam"
    CHEATING = "cheating"
    OTHER = "other"


class ChatReportOutcome(StrEnum):
    """How a report was closed."""

    DISMISSED = "dismissed"
    ACTION_TAKEN = "action_taken"


@dataclass(frozen=True, slots=True)
class ChatMessageSent:
    """A player in a seat sent a message; `digest` is that of its text."""

    operator: UUID
    table: UUID
    seat: int
    player: UUID
    message: UUID
    digest: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerReported:
    """`reporter` reported the player of a seat, for one message or as such; `digest` proves the reason."""

    operator: UUID
    report: UUID
    table: UUID
    seat: int
    player: UUID
    reporter: UUID
    message: UUID | None
    digest: str
    reported_at: datetime


@dataclass(frozen=True, slots=True)
class ChatReportClosed:
    """A moderator closed a report about this player; `digest` proves the note."""

    operator: UUID
    report: UUID
    player: UUID
    outcome: ChatReportOutcome
    digest: str
    closed_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerMuted:
    """The player may not write in chats before `until`, or ever where it is None; `digest` proves the note."""

    operator: UUID
    player: UUID
    action: UUID
    reason: ModerationReason
    until: datetime | None
    digest: str
    muted_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnmuted:
    operator: UUID
    player: UUID
    action: UUID
    digest: str
    unmuted_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerBanned:
    """The player may not open a session before `until`, or ever where it is None; open sessions have ended."""

    operator: UUID
    player: UUID
    action: UUID
    reason: ModerationReason
    until: datetime | None
    digest: str
    banned_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnbanned:
    operator: UUID
    player: UUID
    action: UUID
    digest: str
    unbanned_at: datetime


@dataclass(frozen=True, slots=True)
class FilterWordAdded:
    """A word is masked from now on, in the chats of one operator or, with None, of all."""

    operator: UUID | None
    word: str
    normalized: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class FilterWordRemoved:
    operator: UUID | None
    normalized: str
    removed_at: datetime


ModerationEvent = PlayerMuted | PlayerUnmuted | PlayerBanned | PlayerUnbanned
FilterEvent = FilterWordAdded | FilterWordRemoved
ChatPlayerEvent = ChatMessageSent | PlayerReported | ChatReportClosed | ModerationEvent
ChatEvent = ChatPlayerEvent | FilterEvent


def chat_stream(player: UUID) -> str:
    return f"chat-{player}"


def chat_filter_stream(operator: UUID | None) -> str:
    """Name the stream of an operator's filter words, or of those for all operators."""
    return f"chat-filter-{operator or 'everyone'}"


def text_digest(*, salt: bytes, subject: UUID, text: str) -> str:
    """Return the digest, in hex, of the text of a message, report or act. Raises ValueError for odd salt."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"A salt has {SALT_BYTES} bytes, not {len(salt)}.")
    return hashlib.sha256(_DOMAIN + salt + subject.bytes + text.encode()).hexdigest()
