"""Locks of staff's logins after failures: a stranger's failures never lock out anybody else.

Three failures for a name from an address lock that name for that address (GLI-19 B.2.3 f), for half an hour, and for
twice as long after each further failure. An address with thirty failures is locked for all names. A browser in which
the user has logged in before is known by a signed cookie and counted apart from its address. Django-axes counts in the
database: at most thirty rows for an address, with the names of users only, and none older than a day.
"""

import hmac
import secrets
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, Final
from uuid import UUID

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Max, Q, Sum
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from casino.api.client_ip import client_ip, client_network
from casino.crypto.derived_keys import derive_keys
from casino.operators.memberships import sole_operator
from casino.significant import recorder

UNKNOWN: Final = "login:unknown"
"""Subject of an event if no user has the login: the typed text may be a password."""
FIRST_LOCK: Final = timedelta(minutes=30)
LONGEST_LOCK: Final = timedelta(hours=24)
_DOUBLINGS: Final = 6
FAILURES_OF_ADDRESS: Final = 30
"""Failures, for any names, that lock an address."""
BROWSER_SALT: Final = "known_browser"
BROWSER_SECONDS: Final = 180 * 86400
_ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104  (no address is bound)
_PURPOSE: Final = b"casino.lockout.v1 unknown names"


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]  # django-axes is untyped
    """Counts failures as django-axes does, and records them as significant events, for each user once an hour."""

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Return how many failures count against this attempt; none once a lock has ended."""
        _identify(request, credentials)
        if _is_address_locked(request.axes_ip_address):
            return int(settings.AXES_FAILURE_LIMIT)
        (attempts,) = self.get_user_attempts(request, credentials)
        counts = attempts.filter(Q(failures_since_start__lt=settings.AXES_FAILURE_LIMIT) | locks_in_force())
        return counts.aggregate(most=Max("failures_since_start"))["most"] or 0

    def user_login_failed(self, sender: Any, credentials: dict[str, Any], request: Any = None, **more: Any) -> None:
        """Count a failure, unless the login is locked, and record it; record the lock, too, if it causes one."""
        if request is None or request.axes_locked_out:
            return
        _identify(request, credentials)
        super().user_login_failed(sender, credentials, request, **more)
        (attempts,) = self.filter_user_attempts(request, credentials)
        attempts.update(get_data="", post_data="")  # they grow with each failure
        kinds = [recorder.SignificantEventKind.LOGIN_FAILED]
        if request.axes_locked_out:
            kinds.append(recorder.SignificantEventKind.LOGIN_LOCKED)
        failures = request.axes_failures_since_start
        recorder.record_many(
            _login_event(kind, credentials.get("username"), client_ip(request), failures) for kind in kinds
        )

    def user_logged_in(self, sender: Any, request: Any, user: Any, **more: Any) -> None:
        """Delete the failures of this name and address, or of this browser."""
        _identify(request, {"username": user.get_username()})
        super().user_logged_in(sender, request, user, **more)


def record_refused_identity(request: HttpRequest, *, operator: UUID) -> None:
    """Record, once an hour, that an operator's identity provider signed in nobody."""
    kind = recorder.SignificantEventKind.LOGIN_FAILED
    recorder.record(
        kind=kind,
        operator=operator,
        subject=UNKNOWN,
        actor=UNKNOWN,
        reason="Refused sign-in by the identity provider",
        address=client_ip(request) or "",
        dedup_key=f"{kind}:{operator}:{timezone.now():%Y-%m-%dT%H}",
    )


def _login_event(
    kind: recorder.SignificantEventKind, name: str | None, address: str | None, failures: int
) -> recorder.NewSignificantEvent:
    user = get_user_model().objects.filter(username=name).first()
    subject = UNKNOWN if user is None else f"staff:{user.pk}"
    return recorder.NewSignificantEvent(
        kind=kind,
        operator=None if user is None else sole_operator(user.pk),
        subject=subject,
        actor=subject,
        after={"failures": failures},
        address=address or "",
        dedup_key=f"{kind}:{subject}:{timezone.now():%Y-%m-%dT%H}",
    )


def _identify(request: Any, credentials: dict[str, Any] | None) -> None:
    """Replace what the client says about itself by the known browser, if it is one of this user."""
    browser = _known_browser(request, (credentials or {}).get("username"))
    request.axes_ip_address = _ANY_ADDRESS if browser else client_network(request)
    request.axes_user_agent, request.axes_http_accept = browser, ""


def _known_browser(request: HttpRequest, name: str | None) -> str:
    cookie = settings.KNOWN_BROWSER_COOKIE_NAME
    value = request.get_signed_cookie(cookie, None, salt=BROWSER_SALT, max_age=BROWSER_SECONDS) or ""
    user, _, _ = value.partition(".")
    return value if user and get_user_model().objects.filter(pk=user, username=name).exists() else ""


def remember_browser(request: HttpRequest, response: HttpResponseBase) -> None:
    """Mark the browser as one in which this user has logged in."""
    value = _known_browser(request, request.user.get_username()) or f"{request.user.pk}.{secrets.token_hex(8)}"
    response.set_signed_cookie(
        settings.KNOWN_BROWSER_COOKIE_NAME,
        value,
        salt=BROWSER_SALT,
        max_age=BROWSER_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def counted_name(request: HttpRequest | None, credentials: Any) -> str:
    """Return the name that failures are counted by; of a name that no user has, only a keyed hash."""
    del request
    name = str((credentials or {}).get("username") or "")
    if get_user_model().objects.filter(username=name).exists():
        return name
    return f"unknown:{hmac.digest(derive_keys(_PURPOSE)[0], name.encode(), 'sha256')[:8].hex()}"


def _length(locks: int) -> timedelta:
    return min(FIRST_LOCK * (1 << locks), LONGEST_LOCK)


def locks_in_force() -> Q:
    """Return the condition for the counts of failures whose lock has not ended yet."""
    now, limit = timezone.now(), settings.AXES_FAILURE_LIMIT
    lengths = (
        Q(failures_since_start=limit + locks, attempt_time__gt=now - _length(locks)) for locks in range(_DOUBLINGS)
    )
    longest = Q(failures_since_start__gte=limit + _DOUBLINGS, attempt_time__gt=now - LONGEST_LOCK)
    return reduce(or_, lengths, longest)


def _is_address_locked(address: str | None) -> bool:
    if address is None or address == _ANY_ADDRESS:
        return False
    recent = AccessAttempt.objects.filter(ip_address=address, attempt_time__gt=timezone.now() - LONGEST_LOCK)
    total: dict[str, Any] = recent.aggregate(failures=Sum("failures_since_start"), last=Max("attempt_time"))
    failures, last = total["failures"] or 0, total["last"]
    return failures >= FAILURES_OF_ADDRESS and _locked_until(last, failures - FAILURES_OF_ADDRESS) > timezone.now()


def _locked_until(last: datetime, locks: int) -> datetime:
    return last + _length(min(locks, _DOUBLINGS))


def is_locked(name: str) -> bool:
    """Return whether a login is locked now, for any address or browser."""
    return bool(AccessAttempt.objects.filter(locks_in_force(), username=name).exists())


def unlock(name: str) -> None:
    """Delete a login's failures."""
    reset(username=name)
