"""What may be said how often, and who is kept from it. Pure."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from baccarat.chat.events import (
    PlayerEvent,
    PlayerMuted,
    PlayerReadmitted,
    PlayerRemoved,
    PlayerUnmuted,
    Reason,
)
from baccarat.chat.refusals import (
    MessageEmpty,
    MessageNotPrintable,
    MessageTooLong,
    PlayerIsMuted,
    TooManyMessages,
    TooManyReports,
    UnknownModeration,
)
from casino.kernel.errors import Refusal

LONGEST: Final = 200
"""Characters of a message after normalisation (NFC)."""
LONGEST_WAIT: Final = 365 * 24 * 60
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
class Ban:
    """Until when somebody is muted or removed, None for good."""

    until: datetime | None
    reason: Reason

    def holds(self, now: datetime) -> bool:
        """Tell whether it holds at a time."""
        return self.until is None or now < self.until


@dataclass(frozen=True, slots=True)
class Conduct:
    """What moderators have said about a player, after `version` events of the player's stream."""

    version: int = 0
    mute: Ban | None = None
    removal: Ban | None = None


NEWCOMER: Final = Conduct()


def evolve(conduct: Conduct, event: PlayerEvent) -> Conduct:
    """Apply one event."""
    after = replace(conduct, version=conduct.version + 1)
    match event:
        case PlayerMuted():
            return replace(after, mute=Ban(event.until, event.reason))
        case PlayerUnmuted():
            return replace(after, mute=None)
        case PlayerRemoved():
            return replace(after, removal=Ban(event.until, event.reason))
        case PlayerReadmitted():
            return replace(after, removal=None)
    return after


def clean(text: str) -> str:
    """Return a message as it is kept: normalised (NFC), without blanks around it.

    Raises MessageEmpty, MessageTooLong, MessageNotPrintable.
    """
    found = unicodedata.normalize("NFC", text).strip()
    if not found:
        raise MessageEmpty
    if len(found) > LONGEST:
        raise MessageTooLong(longest=LONGEST, length=len(found))
    if not found.isprintable() or all(unicodedata.category(each)[0] in "MZ" for each in found):
        raise MessageNotPrintable
    return found


def require_voice(conduct: Conduct, *, now: datetime) -> None:
    """Let a player write who is not muted. Raises PlayerIsMuted."""
    if conduct.mute is not None and conduct.mute.holds(now):
        until = conduct.mute.until
        words = "You are muted for good." if until is None else f"You are muted until {until:%Y-%m-%d %H:%M:%S} UTC."
        raise PlayerIsMuted(words, until=until, reason=conduct.mute.reason.value)


def require_pace(rate: Rate, before: Sequence[datetime], *, now: datetime) -> None:
    """Hold one more message or report against the times of those before, newest first.

    Raises what the rate refuses with, which tells from when on there is room.
    """
    recent = [moment for moment in before if moment > now - rate.window]
    if len(recent) >= rate.count:
        raise rate.refusal(retry_at=recent[rate.count - 1] + rate.window)


def ends_at(minutes: int | None, *, now: datetime) -> datetime | None:
    """Tell when a mute or removal of so many minutes ends, None for good. Raises UnknownModeration."""
    if minutes is None:
        return None
    if not 1 <= minutes <= LONGEST_WAIT:
        raise UnknownModeration(longest=LONGEST_WAIT)
    return now + timedelta(minutes=minutes)
