"""Failed logins: each is a significant event, and three within half an hour lock the login (GLI-19 B.2.3 f)."""

from typing import Any
from uuid import UUID

from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_failure_limit
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

from casino.api.client_ip import address_of
from casino.operators.models import StaffMembership
from casino.significant import recorder

UNKNOWN = "login:unknown"
"""Subject of an event if no user has the login: the typed text may be a password."""


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]  # django-axes is untyped
    """Counts failures in the database, as django-axes does, and records them."""

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **more: Any
    ) -> None:
        """Count a failed login and record it; record the lockout, too, if it causes one."""
        super().user_login_failed(sender, credentials, request, **more)
        if request is None:
            return
        failures = getattr(request, "axes_failures_since_start", 0)
        kinds = [recorder.SignificantEventKind.LOGIN_FAILED]
        if failures == get_failure_limit(request, credentials):
            kinds.append(recorder.SignificantEventKind.LOGIN_LOCKED)
        recorder.record_many(_told(kind, credentials.get("username"), address_of(request), failures) for kind in kinds)


def _told(
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
    )


def sole_operator(user: int) -> UUID | None:
    """Return the operator that a user works for, None for none or several."""
    found = list(StaffMembership.objects.filter(user_id=user).values_list("operator_id", flat=True)[:2])
    return found[0] if len(found) == 1 else None


def lockout_parameters(request: Any, credentials: Any) -> list[str]:
    """Return what failures are counted by: the login, from any address."""
    del request, credentials
    return ["username"]


def is_locked(name: str) -> bool:
    """Return whether a login is locked out now."""
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    failed = AccessAttempt.objects.filter(username=name, attempt_time__gte=since)
    return (failed.aggregate(total=Sum("failures_since_start"))["total"] or 0) >= settings.AXES_FAILURE_LIMIT


def unlock(name: str) -> None:
    """Delete a login's failures."""
    reset(username=name)
