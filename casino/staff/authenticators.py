"""Second factors: enrolment, confirmation by a first code, and checks at login (TOTP, RFC 6238: 30 s, six digits).

A code is valid in its step and the adjacent ones, once. Recovery codes replace a lost device, each once.
"""

import hashlib
import secrets
from base64 import b32encode
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.oath import TOTP

from casino.crypto.encryption import DecryptionFailed
from casino.operators import notices
from casino.operators.memberships import sole_operator, staff_actor
from casino.significant import act_log
from casino.staff.acts import RESET
from casino.staff.models import Authenticator, RecoveryCode, StaffIdentity
from casino.staff.refusals import AlreadyEnrolled, NothingToConfirm, WrongCode

ISSUER: Final = "Casino"
SECRET_BYTES: Final = 20
"""As RFC 4226 recommends."""
RECOVERY_CODES: Final = 8
IDENTITY_KEY: Final = "_identity"
"""Key, in a session's data, of the identity by which it began, and whether the provider gave the second factor."""
STEP_TOLERANCE: Final = 1
"""Steps before and after the current one whose codes are accepted, to allow for clock drift."""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """The input of an authenticator app: a URI to scan, and the same secret to type."""

    provisioning_uri: str
    secret: str


def is_enrolled(user: Any) -> bool:
    """Return whether a user has a confirmed authenticator."""
    return Authenticator.objects.filter(user_id=user.pk, confirmed=True).exists()


def begin(user: Any) -> Enrolment:
    """Create a secret for a user to scan, or return the unconfirmed one.

    Raises AlreadyEnrolled.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if is_enrolled(user):
            raise AlreadyEnrolled
        pending = Authenticator.objects.filter(user_id=user.pk, confirmed=False).first()
        if pending is None:
            pending = _create(user)
            record_own(user)
    return _enrolment(user, pending.opened())


def confirm(user: Any, code: str) -> tuple[Authenticator, list[str]]:
    """Confirm an authenticator, and return it with the recovery codes, which are shown once.

    Raises NothingToConfirm, WrongCode.
    """
    with transaction.atomic():
        authenticator = Authenticator.objects.select_for_update().filter(user_id=user.pk, confirmed=False).first()
        if authenticator is None:
            raise NothingToConfirm
        if not _accepts(authenticator, code):
            raise WrongCode
        authenticator.confirmed = True
        authenticator.save(update_fields=["confirmed"])
        RecoveryCode.objects.filter(user_id=user.pk).delete()
        notices.tell([staff_actor(user)], subject="You have a new authenticator", text="It was set up after a login.")
        codes = [new_code() for _ in range(RECOVERY_CODES)]
        RecoveryCode.objects.bulk_create(RecoveryCode(user_id=user.pk, digest=digest_code(code)) for code in codes)
        record_own(user)
    return authenticator, codes


def verify(user: Any, code: str) -> Authenticator | None:
    """Return the user's authenticator if the code is its current one or a recovery code, each valid once."""
    with transaction.atomic():
        authenticator = Authenticator.objects.select_for_update().filter(user_id=user.pk, confirmed=True).first()
        if authenticator is None or not (_accepts(authenticator, code) or _recovers(user, code)):
            return None
    return authenticator


def codes_left(user: Any) -> int:
    """Count a user's unused recovery codes."""
    return RecoveryCode.objects.filter(user_id=user.pk, used_at=None).count()


def record_own(user: Any) -> None:
    """Record that a user changed what the account is signed in with."""
    who = staff_actor(user)
    operator = sole_operator(user.pk)
    act_log.done(RESET.name, kind=None, operator=operator, subject=who, actor=who, tightens=True)


def forget(user: Any) -> int:
    """Delete a user's authenticators, recovery codes and links to providers; return how many were confirmed."""
    StaffIdentity.objects.filter(user_id=user.pk).delete()
    RecoveryCode.objects.filter(user_id=user.pk).delete()
    confirmed = Authenticator.objects.filter(user_id=user.pk, confirmed=True).count()
    Authenticator.objects.filter(user_id=user.pk).delete()
    return confirmed


def satisfies_second_factor(request: HttpRequest) -> bool:
    """Return whether this session has a second factor, if one is required."""
    return not settings.STAFF_TOTP_REQUIRED or has_second_factor(request)


def has_second_factor(request: Any) -> bool:
    """Return whether this session began with a second factor that is still valid; checked once per request."""
    if not hasattr(request, "casino_second_factor"):
        if request.session.get(IDENTITY_KEY, {}).get("second_factor"):  # the provider's, which oidc.is_in_force checks
            return True
        kind, _, number = request.session.get(DEVICE_ID_SESSION_KEY, "").partition("/")
        request.casino_second_factor = bool(kind) and number.isdigit() and _is_confirmed(request.user.pk, int(number))
    valid: bool = request.casino_second_factor
    return valid


def _create(user: Any) -> Authenticator:
    row = Authenticator(user_id=user.pk, name="authenticator", confirmed=False)
    row.sealed(secrets.token_bytes(SECRET_BYTES)).save(force_insert=True)
    return row


def _enrolment(user: Any, secret: bytes) -> Enrolment:
    text = b32encode(secret).decode()
    label = quote(f"{ISSUER}:{user.get_username()}")
    return Enrolment(f"otpauth://totp/{label}?{urlencode({'secret': text, 'issuer': ISSUER})}", text)


def _accepts(authenticator: Authenticator, code: str) -> bool:
    """Return whether a code is valid now and unused; its step then counts as used."""
    digits = code.replace(" ", "")
    if not (len(digits) == 6 and digits.isascii() and digits.isdigit()):
        return False
    try:
        totp = TOTP(authenticator.opened())
    except DecryptionFailed:
        return False
    if not totp.verify(int(digits), STEP_TOLERANCE, authenticator.last_step + 1):
        return False
    authenticator.last_step = totp.t()
    authenticator.save(update_fields=["last_step"])
    return True


def _recovers(user: Any, code: str) -> bool:
    unused = RecoveryCode.objects.filter(user_id=user.pk, digest=digest_code(code), used_at=None)
    return unused.update(used_at=timezone.now()) == 1


def new_code() -> str:
    text = b32encode(secrets.token_bytes(10)).decode().lower()
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4))


def digest_code(code: str) -> bytes:
    """Hash a recovery code. It has 80 random bits, so it needs no slow hash."""
    return hashlib.sha256(b"casino.staff.recovery.v1\n" + code.strip().lower().replace("-", "").encode()).digest()


def _is_confirmed(user: int, authenticator: int) -> bool:
    return Authenticator.objects.filter(pk=authenticator, user_id=user, confirmed=True).exists()
