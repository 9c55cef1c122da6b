"""`manage.py stop gaming|operator|rules|table|player [SUBJECT] --by NAME --reason TEXT`: impose a stop."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.management.switching import add_stop_arguments, find_staff_user, parse_subject, staff_metadata
from baccarat.services import kill_switch
from casino.crypto import crypto_shredding
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Stop play: what is confirmed is dealt and settled, and nothing new starts."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("scope", choices=[scope.value for scope in StopScope], help="how far it reaches")
        add_stop_arguments(parser)
        parser.add_argument("--says", default="", metavar="TEXT", help="what players are told")

    def handle(self, *_args: Any, scope: str, subject: str, by: str, reason: str, says: str, **_options: Any) -> None:
        staff = find_staff_user(by)
        try:
            row = kill_switch.stop(
                scope=StopScope(scope),
                subject=parse_subject(StopScope(scope), subject),
                reason=reason,
                message=says,
                metadata=staff_metadata(staff, "command"),
            )
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        self.stdout.write(
            f"stop: ok switch={row.id} at={row.at:%Y-%m-%dT%H:%M:%SZ} "
            f"players are told: {crypto_shredding.decrypt_text(row.message)}"
        )
