"""What is done with the month of now as if it were long over."""

from datetime import UTC, datetime, timedelta
from typing import Final
from unittest.mock import patch

from baccarat.audit import archiving
from baccarat.audit.archiving import ArchiveResult
from casino.events.sql import database_now

LATER: Final = timedelta(days=200)


def this_month() -> str:
    return datetime.now(UTC).strftime("%Y-%m")


def archive_this_month(*, days: int = LATER.days) -> ArchiveResult:
    """Archive it so many days later, in files of two rounds."""
    later = database_now() + timedelta(days=days)
    with patch.object(archiving, "database_now", lambda: later), patch.object(archiving, "FILE_ROUNDS", 2):
        return archiving.archive_month(this_month())
