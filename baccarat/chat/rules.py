"""Rules of chats: messages, rates, mutes and bans. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from baccarat.chat.events import (
    ChatPlayerEvent,
    ModerationReason,
    PlayerBanned,
    PlayerMuted,
    PlayerUnbanned,
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
from casino.kernel.text import TextTooLong, UnfitText, clean, length

MAX_MESSAGE_LENGTH: Final = 200
"""Characters of a message, as people count them."""
MAX_SANCTION_MINUTES: Final = 365 * 24 * 60
"""The longest mute or ban that ends."""


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
    """A mute or ban; `until` is None for a permanent one."""

    until: datetime | None
    reason: ModerationReason

    def is_active(self, now: datetime) -> bool:
        """Return whether it is active at a time."""
        return self.until is None or now < self.until


@dataclass(frozen=True, slots=True)
class ModerationState:
    """A player's last mute and ban, after `version` events of the player's stream."""

    version: int = 0
    mute: Sanction | None = None
    ban: Sanction | None = None


NEWCOMER: Final = ModerationState()


def evolve(state: ModerationState, event: ChatPlayerEvent) -> ModerationState:
    """Apply one event."""
    after = replace(state, version=state.version + 1)
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
    """Return a message as it is stored.

    Raises MessageEmpty, MessageTooLong, MessageNotPrintable.
    """
    try:
        message = clean(text, limit=MAX_MESSAGE_LENGTH)
    except TextTooLong:
        raise MessageTooLong(max=MAX_MESSAGE_LENGTH, length=length(text)) from None
    except UnfitText as unfit:
        raise MessageNotPrintable(unfit.detail) from None
    if not message:
        raise MessageEmpty
    return message


def require_not_muted(state: ModerationState, *, now: datetime) -> None:
    """Raise PlayerIsMuted while a mute is active."""
    if state.mute is not None and state.mute.is_active(now):
        until = state.mute.until
        detail = "You are muted for good." if until is None else f"You are muted until {until:%Y-%m-%d %H:%M:%S} UTC."
        raise PlayerIsMuted(detail, until=until, reason=state.mute.reason.value)


def require_within_rate(rate: Rate, before: Sequence[datetime], *, now: datetime) -> None:
    """Check the rate of one more message or report; `before` holds the times of the last ones, newest first.

    Raises the rate's refusal, with the time from which on another one is allowed.
    """
    recent = [moment for moment in before if moment > now - rate.window]
    if len(recent) >= rate.count:
        raise rate.refusal(retry_at=recent[rate.count - 1] + rate.window)


def sanction_end(minutes: int | None, *, now: datetime) -> datetime | None:
    """Return when a mute or ban ends, None for a permanent one. Raises InvalidModeration."""
    if minutes is None:
        return None
    if not 1 <= minutes <= MAX_SANCTION_MINUTES:
        raise InvalidModeration(max=MAX_SANCTION_MINUTES)
    return now + timedelta(minutes=minutes)
