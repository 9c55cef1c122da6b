"""`manage.py resume`: resume a suspended round, or lift a stop.

manage.py resume ROUND --by NAME
manage.py resume gaming|operator|rules|table|player [SUBJECT] --by NAME --reason TEXT
"""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.audit.round_replay import NoSuchRound, find_round
from baccarat.domain.rounds.refusals import RoundNotSuspended
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.management.switching import add_stop_arguments, find_staff_user, parse_subject, staff_metadata
from baccarat.services import dealing, kill_switch
from baccarat.storage.models import Round
from casino.events.store import Metadata
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Send a round that was set aside back to be dealt, or release a kill switch."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        scopes = ", ".join(StopScope)
        parser.add_argument("what", metavar="ROUND|SCOPE", help=f"a round's id, TABLE#NUMBER, or one of {scopes}")
        add_stop_arguments(parser)

    def handle(self, *_args: Any, what: str, subject: str, by: str, reason: str, **_options: Any) -> None:
        staff = find_staff_user(by)
        try:
            done = (
                _release(StopScope(what), subject, reason, staff)
                if what in set(StopScope)
                else _deal_again(what, staff)
            )
        except (NoSuchRound, Refusal) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"resume: ok {done}")


def _release(scope: StopScope, subject: str, reason: str, staff: User) -> str:
    named, by = parse_subject(scope, subject), staff_metadata(staff, "command")
    row = kill_switch.resume(scope=scope, subject=named, reason=reason, metadata=by)
    return f"switch={row.id} at={row.at:%Y-%m-%dT%H:%M:%SZ}"


def _deal_again(round_: str, staff: User) -> str:
    stored = _set_aside(find_round(round_))
    dealing.resume(table=stored.table_id, operator=stored.operator_id, metadata=_metadata(stored, staff))
    return f"round={stored.id} table={stored.table_id} number={stored.number}"


def _set_aside(identity: UUID) -> Round:
    stored = Round.objects.filter(pk=identity).defer("state").first()
    if stored is None:
        raise NoSuchRound(f"There is no round {identity}.")
    if stored.suspension_reason is None:
        raise RoundNotSuspended
    return stored


def _metadata(round_: Round, staff: User) -> Metadata:
    return Metadata(
        operator=str(round_.operator_id),
        actor=f"staff-{staff.pk}",
        causation="command",
        correlation=f"round-{round_.pk}",
    )
