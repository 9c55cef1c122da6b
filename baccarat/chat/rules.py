"""What may be said how often, and who is kept from it. Pure."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from baccarat.chat.events import (
    ChatPlayerEvent,
    ModerationReason,
    PlayerMuted,
    PlayerUnbanned,
    PlayerBanned,
    PlayerUnmuted,
)
from baccarat.chat.refusals import (
    InvalidModeration,
    MessageEmpty,
    MessageNotPrintable,
    MessageTooLong,
    PlayerIsMuted,
    TooManyMessages,
    TooManyReports,
)
from casino.kernel.errors import Refusal

MAX_MESSAGE_LENGTH: Final = 200
"""Characters of a message after normalisation (NFC)."""
MAX_SANCTION_MINUTES: Final = 365 * 24 * 60
"""Minutes that a player is muted or removed for at most, but for good."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `count` in any `window`."""

    count: int
    window: timedelta
    refusal: type[Refusal]


MESSAGES: Final = Rate(5, timedelta(seconds=10), TooManyMessages)
REPORTS: Final = Rate(5, timedelta(minutes=10), TooManyReports)


@dataclass(frozen=True, slots=True)
class Sanction:
    """Until when somebody is muted or removed, None for good."""

    until: datetime | None
    reason: ModerationReason

    def is_active(self, now: datetime) -> bool:
        """Tell whether it holds at a time."""
        return self.until is None or now < self.until


@dataclass(frozen=True, slots=True)
class ModerationState:
    """What moderators have said about a player, after `version` events of the player's stream."""

    version: int = 0
    mute: Sanction | None = None
    ban: Sanction | None = None


NEWCOMER: Final = ModerationState()


def evolve(conduct: ModerationState, event: ChatPlayerEvent) -> ModerationState:
    """Apply one event."""
    after = replace(conduct, version=conduct.version + 1)
    match event:
        case PlayerMuted():
            return replace(after, mute=Sanction(event.until, event.reason))
        case PlayerUnmuted():
            return replace(after, mute=None)
        case PlayerBanned():
            return replace(after, ban=Sanction(event.until, event.reason))
        case PlayerUnbanned():
            return replace(after, ban=None)
    return after


def normalize_message(text: str) -> str:
    """Return a message as it is kept: normalised (NFC), without blanks around it.

    Raises MessageEmpty, MessageTooLong, MessageNotPrintable.
    """
    found = unicodedata.normalize("NFC", text).strip()
    if not found:
        raise MessageEmpty
    if len(found) > MAX_MESSAGE_LENGTH:
        raise MessageTooLong(longest=MAX_MESSAGE_LENGTH, length=len(found))
    if not found.isprintable() or all(unicodedata.category(each)[0] in "MZ" for each in found):
        raise MessageNotPrintable
    return found


def require_not_muted(conduct: ModerationState, *, now: datetime) -> None:
    """Let a player write who is not muted. Raises PlayerIsMuted."""
    if conduct.mute is not None and conduct.mute.is_active(now):
        until = conduct.mute.until
        words = "You are muted for good." if until is None else f"You are muted until {until:%Y-%m-%d %H:%M:%S} UTC."
        raise PlayerIsMuted(words, until=until, reason=conduct.mute.reason.value)


def require_within_rate(rate: Rate, before: Sequence[datetime], *, now: datetime) -> None:
    """Hold one more message or report against the times of those before, newest first.

    Raises what the rate refuses with, which tells from when on there is room.
    """
    recent = [moment for moment in before if moment > now - rate.window]
    if len(recent) >= rate.count:
        raise rate.refusal(retry_at=recent[rate.count - 1] + rate.window)


def sanction_end(minutes: int | None, *, now: datetime) -> datetime | None:
    """Tell when a mute or removal of so many minutes ends, None for good. Raises UnknownModeration."""
    if minutes is None:
        return None
    if not 1 <= minutes <= MAX_SANCTION_MINUTES:
        raise InvalidModeration(longest=MAX_SANCTION_MINUTES)
    return now + timedelta(minutes=minutes)
