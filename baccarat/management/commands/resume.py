"""`manage.py resume`: resume a suspended round, or lift a stop.

manage.py resume ROUND
manage.py resume gaming|operator|rules|table|player [SUBJECT] --reason TEXT [--order REFERENCE]

At a live operator it lifts no stop: it requests that, and persons confirm it in the admin.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.audit.round_replay import NoSuchRound, find_round
from baccarat.domain.rounds.refusals import RoundNotSuspended
from baccarat.domain.tables.kill_switch import StopScope
from baccarat.management.commands.stop import add_stop_arguments, parse_subject, shell_metadata
from baccarat.services import dealing, kill_switch
from baccarat.storage.models import Round
from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from casino.operators.notices import format_request


class Command(BaseCommand):
    help = "Resume a suspended round, or lift a stop. At a live operator persons do it in the admin."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        scopes = ", ".join(StopScope)
        parser.add_argument("what", metavar="ROUND|SCOPE", help=f"a round's id, TABLE#NUMBER, or one of {scopes}")
        add_stop_arguments(parser)

    def handle(self, *_args: Any, what: str, subject: str, reason: str, order: str, **_options: Any) -> None:
        try:
            if what in set(StopScope):
                summary = _lift_stop(StopScope(what), subject, reason, order)
            else:
                summary = _resume_round(what)
        except (NoSuchRound, Refusal) as error:
            raise CommandError(error.message() if isinstance(error, Refusal) else str(error)) from error
        self.stdout.write(f"resume: {summary}")


def _lift_stop(scope: StopScope, subject: str, reason: str, order: str) -> str:
    metadata = shell_metadata("switch")
    named: dict[str, Any] = {
        "scope": scope,
        "subject": parse_subject(scope, subject),
        "reason": reason,
        "order": order,
    }
    if kill_switch.needs_change(scope, named["subject"], by=metadata.actor):
        return format_request(kill_switch.request_resume(**named, by=metadata.actor))
    row = kill_switch.resume(**named, metadata=metadata)
    return f"ok switch={row.id} at={row.at:%Y-%m-%dT%H:%M:%SZ}"


def _resume_round(name: str) -> str:
    key = find_round(name)
    stored = Round.objects.filter(pk=key).first()
    if stored is None:
        raise NoSuchRound(f"There is no round {key}.")
    if stored.suspension_reason is None:
        raise RoundNotSuspended
    if Operator.objects.filter(pk=stored.operator_id, sandbox=False).exists():
        raise CommandError(f"At a live operator a person resumes it: round {key} in the admin.")
    metadata = shell_metadata(f"round-{key}", stored.operator_id)
    dealing.resume(round_=key, operator=stored.operator_id, metadata=metadata)
    return f"ok round={key} table={stored.table_id} number={stored.number}"
