"""Codes by which users set a password: split knowledge, so that no administrator knows a password or can set one.

Two administrators agree on a change. Each then sees one half of the code, once, and gives it to the user, who needs
both, within a day.
"""

import hmac
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from casino.operators import notices
from casino.operators.change import ChangeStatus
from casino.operators.memberships import staff_actor
from casino.operators.models import Change
from casino.significant import act_log
from casino.staff.acts import RESET
from casino.staff.authenticators import digest_code, new_code, record_own
from casino.staff.models import PasswordCode
from casino.staff.refusals import NoPasswordCode

LIFETIME: Final = timedelta(hours=24)


def begin(user: User, change: UUID) -> None:
    """Let the two persons of a change see their halves; an earlier code of this user is void."""
    PasswordCode.objects.filter(user=user).delete()
    PasswordCode.objects.create(user=user, change_id=change, expires_at=timezone.now() + LIFETIME)


def waits_for(change: Change, by: str) -> bool:
    """Return whether this person of a change has a half to see."""
    column = _column(change, by)
    rows = PasswordCode.objects.filter(change_id=change.pk, expires_at__gt=timezone.now())
    return column is not None and rows.filter(**{f"{column}__isnull": True}).exists()


def take_half(change: Change, by: str) -> str:
    """Return this person's half of a change's code, which is shown once. Raises NoPasswordCode."""
    with transaction.atomic():
        rows = PasswordCode.objects.select_for_update().filter(change_id=change.pk, expires_at__gt=timezone.now())
        row, column = rows.first(), _column(change, by)
        if row is None or column is None or getattr(row, column) is not None:
            raise NoPasswordCode
        half = new_code()
        setattr(row, column, digest_code(half))
        row.save(update_fields=[column])
        act_log.done(
            RESET.name, kind=None, operator=change.operator_id, subject=change.subject, actor=by, tightens=True
        )
    return half


def set_password(user: User, password: str) -> None:
    """Set the password of a user whose code was right; the code is used up. Raises NoPasswordCode."""
    with transaction.atomic():
        used, _ = PasswordCode.objects.filter(user=user).delete()
        if not used:
            raise NoPasswordCode
        user.set_password(password)
        user.save(update_fields=["password"])
        record_own(user)
        notices.tell([staff_actor(user)], subject="Your password was set", text="It was set with a two-part code.")


class PasswordCodeBackend(BaseBackend):
    """Authenticates by both halves of a code, with the same locks after failures as passwords. Permits nothing."""

    def authenticate(  # type: ignore[override]  # called only with arguments that it has
        self,
        request: HttpRequest | None,
        username: str | None = None,
        first_secret: str | None = None,
        second_secret: str | None = None,
    ) -> Any:
        """Return the active user of this name whose code has these halves."""
        del request
        row = PasswordCode.objects.filter(
            user__username=username, user__is_active=True, expires_at__gt=timezone.now()
        ).first()
        if row is None or row.first_digest is None or row.second_digest is None:
            return None
        right = [
            hmac.compare_digest(bytes(stored), digest_code(given or ""))
            for stored, given in ((row.first_digest, first_secret), (row.second_digest, second_secret))
        ]
        return row.user if all(right) else None


def _column(change: Change, by: str) -> str | None:
    if change.status != ChangeStatus.EFFECTIVE:
        return None
    return {change.requested_by: "first_digest", change.decided_by: "second_digest"}.get(by)
