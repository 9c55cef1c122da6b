"""That somebody came in, and when the same person did before."""

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
    """When a member of staff came in the last time, and from where."""

    at: datetime
    address: str | None


def record_sign_in(request: HttpRequest) -> PreviousSignIn | None:
    """Keep that whoever asks has come in now, and return the time before; None for the first."""
    user = int(request.user.pk or 0)
    before = SignIn.objects.filter(user_id=user).order_by("-id").first()
    SignIn.objects.create(user_id=user, address=address_of(request), second_factor=has_second_factor(request))
    return None if before is None else PreviousSignIn(before.at, before.address)


def satisfies_second_factor(request: HttpRequest) -> bool:
    """Tell whether the second factor, where it is asked for, was given in this session."""
    return not settings.STAFF_TOTP_REQUIRED or has_second_factor(request)


def has_second_factor(request: Any) -> bool:
    """Tell whether this session began with a second factor that still counts; asked once per request."""
    if not hasattr(request, "casino_second_factor"):
        kind, _, number = request.session.get(DEVICE_ID_SESSION_KEY, "").partition("/")
        request.casino_second_factor = bool(kind) and number.isdigit() and _counts(request.user.pk, int(number))
    found: bool = request.casino_second_factor
    return found


def _counts(user: int, authenticator: int) -> bool:
    return Authenticator.objects.filter(pk=authenticator, user_id=user, confirmed=True).exists()
