"""What happened in the chat, in the past tense. No words of persons: these are kept beside the log, by their digests.

A player's stream `chat-{player}` holds what that player sent and reported, and what moderators did about the player; a
house's list of bad words is the stream `words-{operator}`, that of all houses `words-everyone`.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class ModerationReason(StrEnum):
    """Why a moderator acted."""

    LANGUAGE = "language"
    HARASSMENT = "harassment"
    THREATS = "threats"
    SPAM = "spam"
    CHEATING = "cheating"
    OTHER = "other"


class ReportOutcome(StrEnum):
    """What came of a report."""

    DISMISSED = "dismissed"
    ACTION_TAKEN = "action_taken"


@dataclass(frozen=True, slots=True)
class ChatMessageSent:
    """A player in a seat said something; `digest` proves what (see baccarat.chat.proof)."""

    operator: UUID
    table: UUID
    seat: int
    player: UUID
    message: UUID
    digest: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerReported:
    """`reporter` reported the player of a seat, for one message or as such; `digest` proves the reason given."""

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
    """A moderator has dealt with a report about this player; `digest` proves the remark."""

    operator: UUID
    report: UUID
    player: UUID
    outcome: ReportOutcome
    digest: str
    closed_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerMuted:
    """The player may write in no chat before `until`, never again with None; `digest` proves the remark."""

    operator: UUID
    player: UUID
    act: UUID
    reason: ModerationReason
    until: datetime | None
    digest: str
    muted_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnmuted:
    operator: UUID
    player: UUID
    act: UUID
    digest: str
    unmuted_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerBanned:
    """The player may open no session before `until`, never again with None; those that were open have ended."""

    operator: UUID
    player: UUID
    act: UUID
    reason: ModerationReason
    until: datetime | None
    digest: str
    banned_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerUnbanned:
    operator: UUID
    player: UUID
    act: UUID
    digest: str
    unbanned_at: datetime


@dataclass(frozen=True, slots=True)
class FilterWordAdded:
    """A word is masked from now on, in the chats of one operator or, with None, of all; `folded` is how it is found."""

    operator: UUID | None
    word: str
    folded: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class FilterWordRemoved:
    operator: UUID | None
    folded: str
    banned_at: datetime


ModerationEvent = PlayerMuted | PlayerUnmuted | PlayerBanned | PlayerUnbanned
FilterEvent = FilterWordAdded | FilterWordRemoved
ChatPlayerEvent = ChatMessageSent | PlayerReported | ChatReportClosed | ModerationEvent
ChatEvent = ChatPlayerEvent | FilterEvent


def chat_stream(player: UUID) -> str:
    return f"chat-{player}"


def chat_filter_stream(operator: UUID | None) -> str:
    """Name the stream of an operator's words, or of those that hold for all."""
    return f"words-{operator or 'everyone'}"
