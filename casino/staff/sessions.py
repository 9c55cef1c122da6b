"""Staff sessions in the database, with a sliding expiry that is saved only now and then.

Saving at every page would cost a transaction each. A recently saved session is only read, so an idle user logs in again
at the configured timeout or up to a thirtieth of it earlier, and never later.
"""

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as KeptSessions
from django.utils import timezone

SAVES_PER_TIMEOUT: Final = 30
"""Maximum saves of a session within its inactivity timeout."""


class SessionStore(KeptSessions):
    """Extends a session's expiry by saving it, if the last save is old enough."""

    def _get_session_from_db(self) -> Any:
        found: Any = super()._get_session_from_db()  # type: ignore[misc]  # the stubs leave it out
        if found is not None and self._is_old(found.expire_date):
            self.modified = True
        return found

    def _is_old(self, expires: Any) -> bool:
        lasts = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        return bool(timezone.now() - (expires - lasts) >= lasts / SAVES_PER_TIMEOUT)
