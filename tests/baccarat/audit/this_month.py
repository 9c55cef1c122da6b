"""Archive the month of now as if it were long over, in files of two rounds."""

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from baccarat.audit import archiving
from baccarat.audit.archiving import ArchiveResult
from casino.events.sql import database_now


def this_month() -> str:
    return datetime.now(UTC).strftime("%Y-%m")


def archive_this_month(*, days: int = 200) -> ArchiveResult:
    """Archive it so many days later."""
    later = database_now() + timedelta(days=days)
    with patch.object(archiving, "database_now", lambda: later), patch.object(archiving, "FILE_ROUNDS", 2):
        return archiving.archive_month(this_month())
