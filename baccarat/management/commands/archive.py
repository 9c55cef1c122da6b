"""`manage.py archive MONTH`: write a month's events to signed files outside of the database, or verify these."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from baccarat.audit import archiving
from baccarat.management.commands.audit import findings_table
from casino.checkpoints.signing import CannotSign
from casino.checkpoints.storage import StorageUnavailable
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    help = "Write the events of the rounds that ended in a month to files and record them, or verify them."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("month", help="a month of UTC, such as 2026-01")

    def handle(self, *_args: Any, month: str, **_options: Any) -> None:
        try:
            result = archiving.archive_month(month)
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message()}") from None
        except (CannotSign, StorageUnavailable) as error:
            raise CommandError(f"The month can't be archived: {error}") from error
        if result.findings:
            Console(stderr=True).print(findings_table(result.findings))
            sys.exit(1)
        manifest = result.manifest
        if manifest is not None:
            done = "Archived" if result.is_new else "Verified"
            self.stdout.write(
                f"{done} {month}: {manifest.rounds} rounds, {manifest.events} events in {len(manifest.files)} files, "
                f"positions {manifest.first} to {manifest.last}."
            )
