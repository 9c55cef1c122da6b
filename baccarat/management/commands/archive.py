"""`manage.py archive MONTH`: write a month's events to signed files outside of the database, or verify these.

Without MONTH, do so for all that are due.
"""

import contextlib
import sys
from collections.abc import Generator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from baccarat.audit import archiving
from baccarat.management.commands.audit import findings_table
from casino.checkpoints.refusals import MonthEmpty
from casino.checkpoints.signing import CannotSign
from casino.checkpoints.storage import StorageUnavailable
from casino.kernel.errors import Refusal
from casino.kernel.findings import Finding


@contextlib.contextmanager
def refusals_in_words() -> Generator[None]:
    """Turn what the block is refused into an error of the command."""
    try:
        yield
    except Refusal as refusal:
        raise CommandError(f"{refusal.code}: {refusal.message()}") from None
    except (CannotSign, StorageUnavailable) as error:
        raise CommandError(f"That can't be done now: {error}") from error


def exit_on(findings: tuple[Finding, ...]) -> None:
    """Print findings, if any, and end."""
    if findings:
        Console(stderr=True).print(findings_table(findings))
        sys.exit(1)


class Command(BaseCommand):
    help = "Write the events of the rounds that ended in a month to files and record them, or verify them."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "month",
            nargs="?",
            help="a month of UTC, such as 2026-01; without it, all that are old enough and not done yet",
        )

    def handle(self, *_args: Any, month: str | None = None, **_options: Any) -> None:
        with refusals_in_words():
            for each in archiving.due_months() if month is None else [month]:
                with contextlib.suppress(*[] if month else [MonthEmpty]):
                    self._archive(each)

    def _archive(self, month: str) -> None:
        result = archiving.archive_month(month)
        exit_on(result.findings)
        manifest = result.manifest
        if manifest is not None:
            done = "Archived" if result.is_new else "Verified"
            self.stdout.write(
                f"{done} {month}: {manifest.rounds} rounds, {manifest.events} events in {len(manifest.files)} files, "
                f"positions {manifest.first} to {manifest.last}."
            )
