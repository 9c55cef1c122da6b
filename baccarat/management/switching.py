"""Helpers shared by the commands `stop` and `resume`: arguments, staff user, subject."""

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from baccarat.domain.tables.kill_switch_events import StopScope
from casino.events.store import Metadata
from casino.operators import memberships
from casino.operators.models import Operator


def add_stop_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "subject",
        nargs="?",
        default="",
        metavar="SUBJECT",
        help="an operator's short name, rules such as mini@1, or the id of a table or a player; none for gaming",
    )
    parser.add_argument("--by", required=True, metavar="NAME", help="the login of a member of staff, who is recorded")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why, for the record")


def find_staff_user(name: str) -> User:
    """Return a staff user by login. Raises CommandError."""
    user = User.objects.filter(username=name, is_staff=True, is_active=True).first()
    if user is None:
        raise CommandError(f"No member of staff logs in as {name!r}.")
    return user


def parse_subject(scope: StopScope, text: str) -> str:
    """Parse a subject; operators may be given by slug."""
    if scope is not StopScope.OPERATOR:
        return text
    known = Operator.objects.filter(slug=text).first()
    return text if known is None else str(known.id)


def staff_metadata(user: User, cause: str) -> Metadata:
    """Return event metadata for a staff user acting on a switch."""
    return Metadata(operator="", actor=memberships.staff_actor(user), causation=cause, correlation="switch")
