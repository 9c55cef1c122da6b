"""One person, one account: who counts as another person among the staff, and whose e-mail address is whose.

Addresses are compared without case and without what follows a `+`. Whoever makes an account is no second person to it
while it is new, nor is whoever made the maker: two accounts of one hand would otherwise agree with each other.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from casino.events.sql import fetch
from casino.kernel.persons import STAFF, is_person
from casino.operators.memberships import operators_of
from casino.operators.models import Change, ChangeName
from casino.staff.duties import Role
from casino.staff.models import StaffAccount
from casino.staff.refusals import TooFewAdministrators

NEW: Final = timedelta(days=30)
"""How long an account is of whoever made it."""
FEWEST: Final = 2
"""Administrators who have to remain, since one alone gives nobody access."""
_TAKEN: Final = "SELECT true FROM staff_staffaccount WHERE email_key = staff_email_key(%s) AND user_id <> %s"


def is_taken(email: str, *, but: int = 0) -> bool:
    """Return whether an e-mail address is of another account than this one, in whatever spelling."""
    return bool(email) and bool(fetch(_TAKEN, [email, but]))


def record_maker(user: User, *, by: str) -> None:
    """Record who made an account."""
    StaffAccount.objects.filter(user=user).update(created_by=by)


def is_independent(change: Change, by: str) -> bool:
    """Return whether neither has made the other: somebody, and each who agreed on a change or whom it concerns.

    Who approved what was held then agreed on it, too.
    """
    makers = _makers(by)
    agreed = [change.requested_by, *change.confirmed_by, change.details.get("approved_by", "")]
    return makers.isdisjoint(agreed) and all(by not in _makers(each) for each in {*agreed, change.subject})


def _makers(actor: str) -> set[str]:
    """Return who made a new account, and who made that one if it is new, and so on."""
    found: set[str] = set()
    while (maker := _maker(actor)) and maker not in found:
        found.add(maker)
        actor = maker
    return found


def _maker(actor: str) -> str:
    door, _, number = actor.partition(":")
    if door != STAFF or not number.isdecimal():
        return ""
    since = timezone.now() - NEW
    made = StaffAccount.objects.filter(user_id=int(number), user__date_joined__gte=since)
    return made.values_list("created_by", flat=True).first() or ""


def serves(change: Change, by: str) -> bool:
    """Return whether somebody works for every operator that a change would have a user work for."""
    if change.kind != ChangeName.STAFF_OPERATORS:
        return True
    _, _, number = by.partition(":")
    user = User.objects.filter(pk=int(number)).first() if is_person(by) and number.isdecimal() else None
    own = [] if user is None else operators_of(user)
    return own is None or {*change.details["operators"]} <= {str(each) for each in own}


def require_administrators(without: User, *, of: Iterable[UUID] | None = None) -> None:
    """Check that enough administrators remain if this one is none any more, of some operators or of all that it has.

    Raises TooFewAdministrators.
    """
    administrators = User.objects.filter(Q(is_superuser=True) | Q(groups__name=Role.ADMINISTRATOR), is_active=True)
    if not administrators.filter(pk=without.pk).exists():
        return
    others = administrators.exclude(pk=without.pk)
    operators = (operators_of(without) or []) if of is None else of
    wheres = [Q(is_superuser=True) | Q(memberships__operator=operator) for operator in operators] or [Q()]
    if any(others.filter(where).distinct().count() < FEWEST for where in wheres):
        raise TooFewAdministrators
