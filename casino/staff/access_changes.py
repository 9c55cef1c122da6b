"""Changes of a user's access by another user, each recorded: unlock, reset of the authenticator, edit."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from casino.operators.memberships import sole_operator, staff_actor
from casino.significant import recorder
from casino.staff import authenticators, lockout
from casino.staff.refusals import OwnAccessChange, ReasonMissing

MIN_REASON_LENGTH, MAX_REASON_LENGTH = 3, 500
SUBJECT: Final = "staff"


def unlock(user: User, *, by: User, reason: str) -> None:
    """Unlock a user after failed logins. Raises ReasonMissing, OwnAccessChange."""
    with transaction.atomic():
        before = lockout.is_locked(user.username)
        _check_change(user, by=by, reason=reason)
        lockout.unlock(user.username)
        record_access_change(user, by=by, reason=reason, before={"locked": before}, after={"locked": False})


def reset_authenticator(user: User, *, by: User, reason: str) -> None:
    """Delete a user's authenticator and recovery codes. Raises ReasonMissing, OwnAccessChange."""
    with transaction.atomic():
        _check_change(user, by=by, reason=reason)
        confirmed = authenticators.forget(user)
        record_access_change(
            user, by=by, reason=reason, before={"authenticators": confirmed}, after={"authenticators": 0}
        )


def access_snapshot(user: User) -> dict[str, Any]:
    """Return what a user may do, as the database has it; empty for a user not saved yet."""
    stored = User.objects.filter(pk=user.pk).first()
    if stored is None:
        return {}
    return {
        "roles": sorted(stored.groups.values_list("name", flat=True)),
        "operators": sorted(str(operator) for operator in stored.memberships.values_list("operator_id", flat=True)),
        "active": stored.is_active,
        "staff": stored.is_staff,
        "superuser": stored.is_superuser,
    }


def record_access_change(
    user: User, *, by: Any, reason: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    """Record a change of a user's access; do nothing if there is none."""
    if before == after:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.ACCESS_CHANGED,
        operator=sole_operator(user.pk),
        subject=f"{SUBJECT}:{user.pk}",
        actor=staff_actor(by),
        reason=reason,
        before=before,
        after=after,
    )


def _check_change(user: User, *, by: User, reason: str) -> None:
    if user.pk == by.pk:
        raise OwnAccessChange
    if not MIN_REASON_LENGTH <= len(reason.strip()) <= MAX_REASON_LENGTH:
        raise ReasonMissing
