"""manage.py export_operator: everything that an operator's tables did in an interval, as a ZIP of CSV."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.compliance import operator_export
from casino.kernel.errors import Refusal
from casino.operators.services import find_operator


class Command(BaseCommand):
    """Writes the file."""

    help = "Writes all rounds, wagers, money and events of an operator's into a ZIP of CSV, from one day until another."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take an operator's slug, two days of UTC and the name of a file."""
        parser.add_argument("operator", help="the operator's slug")
        parser.add_argument("since", type=date.fromisoformat, help="the first day (UTC)")
        parser.add_argument("until", type=date.fromisoformat, help="the first day that is left out (UTC)")
        parser.add_argument("file", type=Path)

    def handle(self, **options: Any) -> None:
        """Export. Raises CommandError for an operator that is not there."""
        try:
            operator = find_operator(slug=options["operator"]).id
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        since, until = (datetime.combine(options[name], time(), tzinfo=UTC) for name in ("since", "until"))
        counts = operator_export.write(options["file"], operator=operator, since=since, until=until)
        told = " ".join(f"{name}={count}" for name, count in counts.items())
        self.stdout.write(f"export: ok {told} written to {options['file']}")
