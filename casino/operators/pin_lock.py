"""When wrong PINs lock a player out: the third within thirty minutes does, for thirty minutes. Pure.

Source: GLI-19 2.5.3(d), three failed tries in thirty minutes lock a login.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

TRIES: Final = 3
WINDOW: Final = timedelta(minutes=30)
LOCKED_FOR: Final = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Tries:
    """Wrong tries that still count, oldest first, and until when no try is taken; `left` before that happens."""

    failed_at: tuple[datetime, ...]
    locked_until: datetime | None = None

    @property
    def left(self) -> int:
        """Return how many wrong tries are left."""
        return 0 if self.locked_until is not None else TRIES - len(self.failed_at)


def after_failure(failed_at: Sequence[datetime], *, now: datetime) -> Tries:
    """Add a wrong try to those before it; tries older than the window no longer count."""
    recent = (*(moment for moment in failed_at if moment > now - WINDOW), now)
    if len(recent) < TRIES:
        return Tries(recent)
    return Tries((), now + LOCKED_FOR)
