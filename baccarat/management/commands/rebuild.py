"""`manage.py rebuild`: derive every projection from the events again, or only compare them."""

import sys
from collections import Counter
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from baccarat.audit.rebuild import play_projector
from baccarat.chat import storage as chats
from casino.events import rebuild as rebuilding
from casino.events.rebuild import CannotRebuild, Projector
from casino.operators import changes
from wallet.adjustments import records as adjustments
from wallet.funding import services as funding
from wallet.ledger import store as ledger
from wallet.payments import records as payments
from wallet.reconciliation import records as reconciliation
from wallet.remote import records as remote
from wallet.responsible_gaming import projection as responsible_gaming
from wallet.responsible_gaming import table_limit_services as table_limits
from wallet.transfers import records as transfers

LISTED: Final = 20
"""The most rows of a table that are named."""


def projectors() -> tuple[Projector, ...]:
    """Return the projectors of every projection; tables come first, as writers lock them."""
    return (
        play_projector(),
        ledger.BALANCES,
        chats.PROJECTOR,
        payments.PROJECTOR,
        table_limits.PROJECTOR,
        responsible_gaming.PROJECTOR,
        adjustments.PROJECTOR,
        reconciliation.PROJECTOR,
        funding.PROJECTOR,
        remote.PROJECTOR,
        transfers.PROJECTOR,
        changes.PROJECTOR,
    )


class Command(BaseCommand):
    help = (
        "Rebuild every read model from the events while play goes on: tables, rounds, wagers, balances, all of the "
        "wallet, chats. Needs the owner of the database."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="only compare; exit 1 if a row differs")

    def handle(self, *_args: Any, check: bool, **_options: Any) -> None:
        try:
            result = (rebuilding.check if check else rebuilding.rebuild)(*projectors())
        except CannotRebuild as error:
            raise CommandError(str(error)) from error
        differing = Counter(row.split()[0] for row in result.changed)
        for table, number in differing.items():
            self.stdout.write(f"differs: {table} rows={number}")
            for row in [row for row in result.changed if row.split()[0] == table][:LISTED]:
                self.stdout.write(f"  {row}")
        counts = " ".join(f"{table}={rows}" for table, rows in result.rows.items())
        self.stdout.write(f"rebuild: {counts}" + (f" differing={len(result.changed)}" if check else ""))
        if differing:
            sys.exit(1)
