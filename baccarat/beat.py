"""Celery beat scheduler that also wakes the dealers when a turn ends; the periodic sweep is the fallback."""

import logging
from datetime import datetime
from typing import Any, Final

from celery.beat import PersistentScheduler
from django.db import DatabaseError, InterfaceError, connection

from baccarat.queries import tables
from baccarat.storage import wakeups

logger = logging.getLogger(__name__)

CHECK_INTERVAL: Final = 0.5
"""Seconds between checks for the next deadline; no turn is shorter."""


class DeadlineWatcher:
    """Wakes the dealers at deadlines, once for each, by the database's clock."""

    def __init__(self) -> None:
        self._woken: datetime | None = None
        self._silent = False

    def wake_if_due(self) -> float:
        """Wake the dealers if a turn has ended, and return the seconds until the next check."""
        try:
            now, due = tables.next_deadline(after=self._woken)
        except (DatabaseError, InterfaceError) as error:
            connection.close()
            if not self._silent:
                logger.warning("The database does not answer, turns end by the sweep: %s", error)
            self._silent = True
            return CHECK_INTERVAL
        self._silent = False
        if due is not None and due <= now:
            wakeups.wake_dealers()
            self._woken = now
            return 0.0
        if self._woken is None:
            self._woken = now
        return CHECK_INTERVAL if due is None else min(CHECK_INTERVAL, (due - now).total_seconds())


class DeadlineScheduler(PersistentScheduler):  # type: ignore[misc]
    """Beat's scheduler, with deadlines between its ticks."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._deadlines = DeadlineWatcher()
        super().__init__(*args, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send due tasks, wake the dealers, and return the seconds until the next tick."""
        wait: float = super().tick(*args, **options)
        return min(wait, self._deadlines.wake_if_due())
