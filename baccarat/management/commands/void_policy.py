"""`manage.py void_policy`: show the policy on winnings spent before their round is voided, or have it changed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.services import void_policy, voiding
from casino.operators import memberships, notices
from casino.operators.models import Operator


class Command(BaseCommand):
    help = "Show the policy on winnings that were spent before their round was voided, or have it changed."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("operator", help="the operator's short name")
        parser.add_argument("--spent", choices=("debt", "forgive"), help="the player owes them, or the house pays them")

    def handle(self, *_args: Any, operator: str, spent: str | None, **_options: Any) -> None:
        tenant = Operator.objects.filter(slug=operator).first()
        if tenant is None:
            raise CommandError(f"There is no operator {operator!r}.")
        by = memberships.shell_actor()
        if spent is not None and not tenant.sandbox:
            change = void_policy.request_policy(operator=tenant.id, forgive=spent == "forgive", by=by)
            self.stdout.write(f"void_policy: {notices.format_request(change)}")
        elif spent is not None:
            voiding.set_policy(operator=tenant.id, forgive=spent == "forgive", actor=by)
        word = "forgive" if voiding.forgives_spent_winnings(operator=tenant.id) else "debt"
        self.stdout.write(f"void_policy: operator={operator} spent={word}")
