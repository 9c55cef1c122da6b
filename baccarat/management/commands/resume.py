"""`manage.py resume ROUND --by NAME`: send a round that was set aside back to be dealt, as the admin's button does."""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.audit.retelling import NoSuchRound, find
from baccarat.models import Round
from baccarat.operations import dealing
from baccarat.rounds.refusals import RoundNotSetAside
from casino.events.store import Metadata
from casino.kernel.refusals import Refusal


class Command(BaseCommand):
    help = "Send a round that was set aside back to be dealt."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", metavar="ROUND", help="a round's id, or TABLE#NUMBER")
        parser.add_argument(
            "--by", required=True, metavar="NAME", help="the login of a member of staff, whose number is recorded"
        )

    def handle(self, *_args: Any, round: str, by: str, **_options: Any) -> None:  # noqa: A002  (the field's word)
        staff = User.objects.filter(username=by, is_staff=True, is_active=True).first()
        if staff is None:
            raise CommandError(f"No member of staff logs in as {by!r}.")
        try:
            found = _set_aside(find(round))
            dealing.resume(table=found.table_id, operator=found.operator_id, metadata=_metadata(found, staff))
        except (NoSuchRound, Refusal) as trouble:
            raise CommandError(str(trouble)) from trouble
        self.stdout.write(f"resume: ok round={found.id} table={found.table_id} number={found.number}")


def _set_aside(identity: UUID) -> Round:
    found = Round.objects.filter(pk=identity).defer("state").first()
    if found is None:
        raise NoSuchRound(f"There is no round {identity}.")
    if found.set_aside is None:
        raise RoundNotSetAside
    return found


def _metadata(round_: Round, staff: User) -> Metadata:
    return Metadata(
        operator=str(round_.operator_id),
        actor=f"staff-{staff.pk}",
        causation="command",
        correlation=f"round-{round_.pk}",
    )
