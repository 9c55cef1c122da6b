"""`manage.py rebuild`: drop every projection and rebuild it from the events."""

import sys
from collections.abc import Callable
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.audit.rebuild import CannotRebuild, rebuild_projections
from baccarat.chat.rebuild import rebuild_chat
from casino.events.projections import RebuildResult
from wallet.adjustments.records import rebuild_adjustments
from wallet.payments.records import rebuild_payments
from wallet.reconciliation.records import rebuild_reconciliation
from wallet.responsible_gaming.projection import rebuild_responsible_gaming
from wallet.responsible_gaming.table_limit_projection import rebuild_limits

REBUILDS: Final[tuple[Callable[..., RebuildResult], ...]] = (
    rebuild_projections,
    rebuild_chat,
    rebuild_payments,
    rebuild_limits,
    rebuild_responsible_gaming,
    rebuild_adjustments,
    rebuild_reconciliation,
)


class Command(BaseCommand):
    help = (
        "Drop and rebuild every read model: tables, rounds, wagers, balances, all of the wallet, chats; writers wait."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="name every row that changed, exit 1 if any did")

    def handle(self, *_args: Any, check: bool, **_options: Any) -> None:
        try:
            rebuilt = [rebuild(compare=check) for rebuild in REBUILDS]
        except CannotRebuild as error:
            raise CommandError(str(error)) from error
        changed = [row for part in rebuilt for row in part.changed]
        for row in changed:
            self.stdout.write(f"changed: {row}")
        counts = " ".join(f"{table}={rows}" for part in rebuilt for table, rows in part.rows.items())
        outcome = f" changed={len(changed)}" if check else ""
        self.stdout.write(f"rebuild: {counts}{outcome}")
        if changed:
            sys.exit(1)
