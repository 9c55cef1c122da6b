"""What is done to somebody's access by another, all of it recorded: unlocked, freed of an authenticator, changed."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction

from casino.operators.memberships import staff_actor
from casino.significant import recorder
from casino.staff import authenticators, lockout
from casino.staff.refusals import OwnAccessChange, ReasonMissing

MIN_REASON_LENGTH, MAX_REASON_LENGTH = 3, 500
SUBJECT: Final = "staff"


def unlock(user: User, *, by: User, reason: str) -> None:
    """Let somebody who failed to log in try again. Raises ReasonMissing, NotToOneself."""
    with transaction.atomic():
        before = lockout.is_locked(user.username)
        _judge(user, by=by, reason=reason)
        lockout.unlock(user.username)
        record_access_change(user, by=by, reason=reason, before={"locked": before}, after={"locked": False})


def reset_authenticator(user: User, *, by: User, reason: str) -> None:
    """Take somebody's authenticator and recovery codes away. Raises ReasonMissing, NotToOneself."""
    with transaction.atomic():
        _judge(user, by=by, reason=reason)
        working = authenticators.forget(user)
        record_access_change(
            user, by=by, reason=reason, before={"authenticators": working}, after={"authenticators": 0}
        )


def access_snapshot(user: User) -> dict[str, Any]:
    """Tell what a user may, as it stands in the database; nothing of a user who is not there yet."""
    kept = User.objects.filter(pk=user.pk).first()
    if kept is None:
        return {}
    return {
        "roles": sorted(kept.groups.values_list("name", flat=True)),
        "operators": sorted(str(one) for one in kept.memberships.values_list("operator_id", flat=True)),
        "active": kept.is_active,
        "staff": kept.is_staff,
        "superuser": kept.is_superuser,
    }


def record_access_change(
    user: User, *, by: Any, reason: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    """Record that somebody's access was changed; nothing where nothing was."""
    if before == after:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.ACCESS_CHANGED,
        operator=lockout.sole_operator(user.pk),
        subject=f"{SUBJECT}:{user.pk}",
        actor=staff_actor(by),
        reason=reason,
        before=before,
        after=after,
    )


def _judge(user: User, *, by: User, reason: str) -> None:
    if user.pk == by.pk:
        raise OwnAccessChange
    if not MIN_REASON_LENGTH <= len(reason.strip()) <= MAX_REASON_LENGTH:
        raise ReasonMissing
