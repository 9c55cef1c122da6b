"""How staff log in: password and code, the status of a locked login, and sessions with a sliding expiry."""

import time
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from casino.api.client_ip import client_ip
from casino.operators.memberships import may_sign_in_from
from casino.staff import assignments, authenticators
from casino.staff.models import SignedIn

STARTED: Final = "_started_at"
"""Key of a session's start in its data, in seconds since 1970."""
SAVES_PER_TIMEOUT: Final = 30
"""Maximum saves of a session within its inactivity timeout."""


class RoleBackend(ModelBackend):
    """Authenticates by password and code; takes permissions from the roles that a user holds now."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        code: str = "",
        **more: Any,
    ) -> Any:
        """Return the user with this name, password and, if an authenticator is set up, code."""
        user: Any = super().authenticate(request, username=username, password=password, **more)
        if user is not None and request is not None and not may_sign_in_from(user.pk, client_ip(request)):
            return None
        if user is None or not authenticators.is_enrolled(user):
            return user
        authenticator = authenticators.verify(user, code)
        if authenticator is None:
            return None
        user.otp_device = authenticator
        return user

    def get_user(self, user_id: Any) -> Any:
        """Return the user of a session, for whom the superuser flag is not every permission."""
        user = SignedIn.objects.select_related("account").filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None

    def get_user_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Return the permissions that were given to a user alone."""
        if not user_obj.is_superuser or not user_obj.is_active or obj is not None:
            return super().get_user_permissions(user_obj, obj)
        own = Permission.objects.filter(user=user_obj).values_list("content_type__app_label", "codename")
        return {f"{app}.{codename}" for app, codename in own}

    def get_group_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Return the permissions of a user's roles, `app.codename`; none for a disabled user."""
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if not hasattr(user_obj, "role_functions"):
            user_obj.role_functions = assignments.functions_of(user_obj.pk)
        return set(user_obj.role_functions)


def lockout_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Show locked-out users the login page, with an explanation and status 429, instead of django-axes' own page."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        return _with_lockout_status(request, get_response(request))

    return handle


def _with_lockout_status(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if getattr(request, "axes_locked_out", None):
        response.status_code = HTTPStatus.TOO_MANY_REQUESTS
    return response


def stored_key(session_key: str) -> str:
    """Return the key under which a session is stored: who reads the table learns no browser's key."""
    return sha256(session_key.encode()).hexdigest()[:40]


class SessionStore(DatabaseSessions):
    """Sessions in the database, with a sliding expiry that is saved only if the last save is old enough, and an end.

    Saving at every page would cost a transaction each. An idle user has to log in again at the configured timeout or
    up to a thirtieth of it earlier, and never later; and STAFF_SESSION_SECONDS after the login in any case. Data is
    signed for its browser's key, so that a row that is copied under another is no login.
    """

    @property
    def key_salt(self) -> str:
        """Django's word for what the signature is for."""
        return f"casino.staff.session.{self._session_key}"

    def load(self) -> dict[str, Any]:
        """Return the session's data; none once it has lasted too long."""
        data: dict[str, Any] = super().load()
        if time.time() - data.get(STARTED, 0) <= settings.STAFF_SESSION_SECONDS:
            return data
        self._session_key = None
        return {}

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002  (Django's)
        """Save the session, with the time at which it started."""
        self._get_session(no_load=must_create).setdefault(STARTED, time.time())  # type: ignore[attr-defined]
        super().save(must_create)

    def cycle_key(self) -> None:
        """Change the id at a login, from which the time is counted again."""
        self.pop(STARTED, None)
        super().cycle_key()

    def exists(self, session_key: str) -> bool:
        """Return whether a browser's key is taken."""
        return super().exists(stored_key(session_key))

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session of a browser's key, by default its own."""
        key = session_key or self.session_key
        if key is not None:
            super().delete(stored_key(key))

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        """Return the row to store."""
        row = super().create_model_instance(data)
        row.session_key = stored_key(row.session_key)
        return row

    def _get_session_from_db(self) -> Any:
        key = stored_key(self.session_key or "")
        session = self.model.objects.filter(session_key=key, expire_date__gt=timezone.now()).first()
        if session is None:
            self._session_key = None
        elif self._is_old(session.expire_date):
            self.modified = True
        return session

    def _is_old(self, expires: Any) -> bool:
        timeout = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        return bool(timezone.now() - (expires - timeout) >= timeout / SAVES_PER_TIMEOUT)
