"""What is done with the month of now as if it were long over."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar
from unittest.mock import patch

from baccarat.audit import archiving, dropping
from baccarat.audit.archiving import ArchiveResult
from baccarat.audit.dropping import DropResult
from casino.events.sql import database_now

LATER: Final = timedelta(days=200)
Result = TypeVar("Result")


def this_month() -> str:
    return datetime.now(UTC).strftime("%Y-%m")


def later_here(change: Callable[[str], Result]) -> Result:
    """Change it 200 days later."""
    moment = database_now() + LATER
    with patch.object(archiving, "database_now", lambda: moment):
        return change(this_month())


def archive_this_month(*, days: int = LATER.days) -> ArchiveResult:
    """Archive it so many days later, in files of two rounds."""
    later = database_now() + timedelta(days=days)
    with patch.object(archiving, "database_now", lambda: later), patch.object(archiving, "FILE_ROUNDS", 2):
        return archiving.archive_month(this_month())


def drop_later() -> DropResult:
    return later_here(dropping.drop_month)


def restore_later() -> DropResult:
    return later_here(dropping.restore_month)
