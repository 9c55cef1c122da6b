"""`manage.py void_policy`: show the policy on winnings spent before their round is voided, or set a sandbox's."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.services import voiding
from casino.operators.models import Operator


class Command(BaseCommand):
    help = "Show the policy on winnings that were spent before their round was voided, or set a sandbox operator's."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("operator", help="the operator's short name")
        parser.add_argument("--spent", choices=("debt", "forgive"), help="the player owes them, or the house pays them")
        parser.add_argument("--by", default="command", help="the person who decides, for the record")

    def handle(self, *_args: Any, operator: str, spent: str | None, by: str, **_options: Any) -> None:
        tenant = Operator.objects.filter(slug=operator).first()
        if tenant is None:
            raise CommandError(f"There is no operator {operator!r}.")
        if spent is not None and not tenant.sandbox:
            raise CommandError("For a live operator two persons agree on it, in the admin or over HTTP.")
        if spent is not None:
            voiding.set_policy(operator=tenant.id, forgive=spent == "forgive", actor=by)
        word = "forgive" if voiding.forgives_spent_winnings(operator=tenant.id) else "debt"
        self.stdout.write(f"void_policy: operator={operator} spent={word}")
