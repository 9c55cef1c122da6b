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
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.management.commands.stop import add_stop_arguments, find_staff_user, parse_subject, staff_metadata
from baccarat.services import dealing, kill_switch
from baccarat.storage.models import Round
from casino.events.store import Metadata
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Resume a suspended round, or lift a stop."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        scopes = ", ".join(StopScope)
        parser.add_argument("what", metavar="ROUND|SCOPE", help=f"a round's id, TABLE#NUMBER, or one of {scopes}")
        add_stop_arguments(parser)

    def handle(self, *_args: Any, what: str, subject: str, by: str, reason: str, **_options: Any) -> None:
        staff = find_staff_user(by)
        try:
            if what in set(StopScope):
                summary = _lift_stop(StopScope(what), subject, reason, staff)
            else:
                summary = _resume_round(what, staff)
        except (NoSuchRound, Refusal) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"resume: ok {summary}")


def _lift_stop(scope: StopScope, subject: str, reason: str, staff: User) -> str:
    subject, metadata = parse_subject(scope, subject), staff_metadata(staff, "command")
    row = kill_switch.resume(scope=scope, subject=subject, reason=reason, metadata=metadata)
    return f"switch={row.id} at={row.at:%Y-%m-%dT%H:%M:%SZ}"


def _resume_round(round_: str, staff: User) -> str:
    stored = _find_suspended(find_round(round_))
    dealing.resume(round_=stored.id, operator=stored.operator_id, metadata=_metadata(stored, staff))
    return f"round={stored.id} table={stored.table_id} number={stored.number}"


def _find_suspended(key: UUID) -> Round:
    stored = Round.objects.filter(pk=key).first()
    if stored is None:
        raise NoSuchRound(f"There is no round {key}.")
    if stored.suspension_reason is None:
        raise RoundNotSuspended
    return stored


def _metadata(round_: Round, staff: User) -> Metadata:
    return Metadata(
        operator=str(round_.operator_id),
        actor=f"staff:{staff.pk}",
        causation="command",
        correlation=f"round-{round_.pk}",
    )
