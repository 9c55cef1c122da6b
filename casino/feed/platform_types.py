"""What operators learn of sessions and significant events: the types of feed items of the apps below the feed."""

from typing import Final

from casino.feed.types import FeedType
from casino.operators.sessions import SessionEnded, SessionStarted
from casino.significant.recorder import SignificantEventRaised

TYPES: Final = (
    FeedType(
        event=SessionStarted,
        app="casino",
        name="session.started",
        subject="players/{player}",
        summary="A player logged in. A player has one session at most.",
    ),
    FeedType(
        event=SessionEnded,
        app="casino",
        name="session.ended",
        subject="players/{player}",
        summary="A player's session ended: by logout (`ended`), at its end (`expired`), without use (`timed_out`), by "
        "another login (`taken_over`), or because the player was removed from the casino (`removed`).",
    ),
    FeedType(
        event=SignificantEventRaised,
        app="casino",
        name="significant.raised",
        subject="significant-events/{event}",
        summary="A significant event was recorded, of the operator or of the whole installation; all but those of the "
        "severity `info` wait in the back office for acknowledgement. Reasons and who acted are shown there only.",
    ),
)
