"""`manage.py rebuild`: drop every projection and make it again from the events."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.audit.rebuilding import Unfoldable, rebuild
from wallet.limits.projection import rebuild_limits
from wallet.payments.rebuilding import rebuild_payments
from wallet.protection.rebuilding import rebuild_protection


class Command(BaseCommand):
    help = "Drop and rebuild the read models of tables, rounds, wagers, payments, limits and balances; writers wait."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="name every row that changed, exit 1 if any did")

    def handle(self, *_args: Any, check: bool, **_options: Any) -> None:
        try:
            rebuilt = rebuild(compare=check)
            payments = rebuild_payments(compare=check)
            limits = rebuild_limits(compare=check)
            protection = rebuild_protection(compare=check)
        except Unfoldable as trouble:
            raise CommandError(str(trouble)) from trouble
        changed = rebuilt.changed + payments.changed + limits.changed + protection.changed
        for row in changed:
            self.stdout.write(f"changed: {row}")
        everything = rebuilt.rows | payments.rows | limits.rows | protection.rows
        counts = " ".join(f"{table}={rows}" for table, rows in everything.items())
        outcome = f" changed={len(changed)}" if check else ""
        self.stdout.write(f"rebuild: {counts}{outcome}")
        if changed:
            sys.exit(1)
