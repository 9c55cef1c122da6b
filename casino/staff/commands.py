"""What a shell gives: the first two administrators of an installation, each a critical significant event."""

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db.models import Q, QuerySet

from casino.operators.memberships import has_live_operators, shell_actor, staff_actor
from casino.significant import act_log
from casino.significant.recorder import SignificantEventKind
from casino.staff import acts
from casino.staff.duties import Role
from casino.staff.people import FEWEST


def administrators() -> QuerySet[User]:
    """Return who administers users now."""
    administers = Q(is_superuser=True) | Q(groups__name=Role.ADMINISTRATOR)
    return User.objects.filter(administers, is_active=True).distinct()


def require_few_administrators(instead: str) -> None:
    """Raise CommandError at an installation with live operators and two administrators, who do it in the admin."""
    if has_live_operators() and administrators().count() >= FEWEST:
        raise CommandError(f"This installation has two administrators: {instead}")


def record_access(user: User, reason: str) -> None:
    """Record that somebody got access by a command."""
    act_log.done(
        acts.MAKE_SUPERUSER.name,
        kind=SignificantEventKind.ACCESS_BY_COMMAND,
        operator=None,
        subject=staff_actor(user),
        actor=shell_actor(),
        reason=reason,
    )
