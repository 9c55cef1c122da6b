"""Sessions of staff, in the database: each request begins the time anew, and that is written down now and then.

Writing it for every page would cost each of them a transaction. So a session that was noted lately is only read: who
asks for nothing logs in again after the time that is set, or up to a thirtieth of it sooner, and never later.
"""

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore as KeptSessions
from django.utils import timezone

SAVES_PER_TIMEOUT: Final = 30
"""How often a session is noted within the time after which an unused one ends, at most."""


class SessionStore(KeptSessions):
    """Notes a use of a session by saving it, where the last note is some time ago."""

    def _get_session_from_db(self) -> Any:
        found: Any = super()._get_session_from_db()  # type: ignore[misc]  # the stubs leave it out
        if found is not None and self._is_old(found.expire_date):
            self.modified = True
        return found

    def _is_old(self, expires: Any) -> bool:
        lasts = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        return bool(timezone.now() - (expires - lasts) >= lasts / SAVES_PER_TIMEOUT)
