"""`manage.py stop gaming|operator|rules|table|player [SUBJECT] --by NAME --reason TEXT`: a kill switch by hand."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.domain.tables.kill_switch_events import Scope
from baccarat.management.switching import add_subject, metadata_of, staff_named, subject_of
from baccarat.services import kill_switch
from casino.crypto import crypto_shredding
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Stop play: what is confirmed is dealt and settled, and nothing new starts."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("scope", choices=[scope.value for scope in Scope], help="how far it reaches")
        add_subject(parser)
        parser.add_argument("--says", default="", metavar="TEXT", help="what players are told")

    def handle(self, *_args: Any, scope: str, subject: str, by: str, reason: str, says: str, **_options: Any) -> None:
        staff = staff_named(by)
        try:
            row = kill_switch.stop(
                scope=Scope(scope),
                subject=subject_of(Scope(scope), subject),
                reason=reason,
                says=says,
                metadata=metadata_of(staff, "command"),
            )
        except Refusal as refusal:
            raise CommandError(refusal.told()) from None
        self.stdout.write(
            f"stop: ok switch={row.id} at={row.at:%Y-%m-%dT%H:%M:%SZ} "
            f"players are told: {crypto_shredding.told(row.says)}"
        )
