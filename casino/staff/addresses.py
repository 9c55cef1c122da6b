"""E-mail addresses of staff: whoever has one shows to receive what is sent there, before doing anything else.

Somebody else typed it. At a live operator the first login, and the first one after the address was changed, therefore
asks for a code that was sent there. It opens nothing by itself. Only accounts made by a command may have no address.
"""

import time
from typing import Any, Final

from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db.models import F
from django.http import HttpRequest

from casino.operators import memberships, notices
from casino.staff.models import StaffAccount
from casino.staff.refusals import WrongAddressCode

SENT: Final = "_address_code"
"""Key, in a session's data, of when a code was sent, and to which address."""
PAUSE: Final = 300
"""Seconds until another code is sent in the same session."""


class _Codes(PasswordResetTokenGenerator):
    """Makes codes of one address of one user, which end after PASSWORD_RESET_TIMEOUT."""

    key_salt = "casino.staff.addresses"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        return f"{user.pk} {user.email} {timestamp}"


_codes: Final = _Codes()


def is_confirmed(user: Any) -> bool:
    """Return whether a user has confirmed the address in use, has none, or works where nobody plays for real money."""
    return not user.email or _has_confirmed(user.account) or not memberships.has_live_operators()


def _has_confirmed(account: StaffAccount) -> bool:
    return account.confirmed_key == account.email_key


def send_code(request: HttpRequest) -> None:
    """Send a code to the address of a request's user, once in a while."""
    user: Any = request.user
    sent = request.session.get(SENT, {})
    if sent.get("to") == user.email and time.time() - sent["at"] < PAUSE:
        return
    request.session[SENT] = {"to": user.email, "at": time.time()}
    text = f"Enter this code where you logged in: {_codes.make_token(user)}"
    notices.tell_address(user.email, subject="Confirm your e-mail address", text=text)


def confirm(request: HttpRequest, code: str) -> None:
    """Record that a request's user has read what was sent to the address. Raises WrongAddressCode."""
    user: Any = request.user
    if not _codes.check_token(user, code.strip()):
        raise WrongAddressCode
    record_confirmed(user)


def record_confirmed(user: User) -> None:
    """Record that a user has the address of the account."""
    StaffAccount.objects.filter(user=user).update(confirmed_key=F("email_key"))
