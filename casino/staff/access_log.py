"""Logins of staff, and their access to players' data. Entries never change."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.http import HttpRequest

from casino.api.client_ip import client_ip
from casino.staff import authenticators
from casino.staff.models import AccessLogEntry, SignIn

MAX_PATH_LENGTH: Final = 500
"""Maximum characters of a URL. The query is left out: a search may contain personal data."""


def record_access(request: HttpRequest, *, subject: str, operator: UUID | None = None) -> None:
    """Record that the current member of staff views `subject`, of an operator or of none."""
    AccessLogEntry.objects.create(
        user_id=int(request.user.pk or 0),
        operator_id=operator,
        subject=subject,
        path=request.path[:MAX_PATH_LENGTH],
        address=client_ip(request),
    )


@dataclass(frozen=True, slots=True)
class PreviousSignIn:
    """Time and address of the previous login."""

    at: datetime
    address: str | None


def record_sign_in(request: HttpRequest) -> PreviousSignIn | None:
    """Record a login of the current user, and return the previous one; None for the first."""
    user = int(request.user.pk or 0)
    previous = SignIn.objects.filter(user_id=user).order_by("-id").first()
    SignIn.objects.create(
        user_id=user, address=client_ip(request), second_factor=authenticators.has_second_factor(request)
    )
    return None if previous is None else PreviousSignIn(previous.at, previous.address)
