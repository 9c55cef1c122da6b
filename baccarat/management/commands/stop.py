"""`manage.py stop gaming|operator|rules|table|player [SUBJECT] --reason TEXT`: impose a stop of the platform's."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.domain.tables.kill_switch import StopScope
from baccarat.services import kill_switch
from casino.crypto import crypto_shredding
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.operators import memberships
from casino.operators.models import Operator


class Command(BaseCommand):
    help = "Stop play: confirmed wagers are dealt and settled, and nothing new starts."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("scope", choices=[scope.value for scope in StopScope], help="the scope of the stop")
        add_stop_arguments(parser)
        parser.add_argument("--deposits", action="store_true", help="take no deposits either: of gaming or an operator")
        parser.add_argument("--player-message", default="", metavar="TEXT", help="the message shown to players")

    def handle(
        self,
        *_args: Any,
        scope: str,
        subject: str,
        reason: str,
        order: str,
        deposits: bool,
        player_message: str,
        **_options: Any,
    ) -> None:
        try:
            row = kill_switch.stop(
                scope=StopScope(scope),
                subject=parse_subject(StopScope(scope), subject),
                reason=reason,
                message=player_message,
                order=order,
                deposits=deposits,
                metadata=shell_metadata("switch"),
            )
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        self.stdout.write(
            f"stop: ok switch={row.id} at={row.at:%Y-%m-%dT%H:%M:%SZ} "
            f"message to players: {crypto_shredding.decrypt_text(row.message)}"
        )


def add_stop_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "subject",
        nargs="?",
        default="",
        metavar="SUBJECT",
        help="an operator's short name, the digest of rules, or the id of a table or a player; none for gaming",
    )
    parser.add_argument("--reason", default="", metavar="TEXT", help="the reason, for the record")
    parser.add_argument("--order", default="", metavar="REFERENCE", help="the reference of a regulator's order")


def parse_subject(scope: StopScope, text: str) -> str:
    """Parse a subject; operators may be given by slug."""
    if scope is not StopScope.OPERATOR:
        return text
    operator = Operator.objects.filter(slug=text).first()
    return text if operator is None else str(operator.id)


def shell_metadata(correlation: str, operator: object = "") -> Metadata:
    """Return event metadata for whoever runs a command."""
    return Metadata(
        operator=str(operator), actor=memberships.shell_actor(), causation="command", correlation=correlation
    )
