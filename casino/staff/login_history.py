"""Records logins, and reports the previous one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django_otp import DEVICE_ID_SESSION_KEY

from casino.api.client_ip import address_of
from casino.staff.models import Authenticator, SignIn


@dataclass(frozen=True, slots=True)
class PreviousSignIn:
    """Time and address of the previous login."""

    at: datetime
    address: str | None


def record_sign_in(request: HttpRequest) -> PreviousSignIn | None:
    """Record a login of the current user, and return the previous one; None for the first."""
    user = int(request.user.pk or 0)
    before = SignIn.objects.filter(user_id=user).order_by("-id").first()
    SignIn.objects.create(user_id=user, address=address_of(request), second_factor=has_second_factor(request))
    return None if before is None else PreviousSignIn(before.at, before.address)


def satisfies_second_factor(request: HttpRequest) -> bool:
    """Return whether this session has a second factor, if one is required."""
    return not settings.STAFF_TOTP_REQUIRED or has_second_factor(request)


def has_second_factor(request: Any) -> bool:
    """Return whether this session began with a second factor that is still valid; checked once per request."""
    if not hasattr(request, "casino_second_factor"):
        kind, _, number = request.session.get(DEVICE_ID_SESSION_KEY, "").partition("/")
        request.casino_second_factor = bool(kind) and number.isdigit() and _counts(request.user.pk, int(number))
    found: bool = request.casino_second_factor
    return found


def _counts(user: int, authenticator: int) -> bool:
    return Authenticator.objects.filter(pk=authenticator, user_id=user, confirmed=True).exists()
