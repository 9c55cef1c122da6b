"""`manage.py export_operator`: everything about an operator in an interval, as a ZIP of CSV files."""

import json
import zipfile
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from casino.compliance import exports
from casino.kernel.errors import Refusal
from casino.operators.services import find_operator


class Command(BaseCommand):
    help = "Write everything about an operator in an interval to a ZIP of CSV files."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("operator", help="the operator's slug")
        parser.add_argument("since", type=date.fromisoformat, help="the first day (UTC)")
        parser.add_argument("until", type=date.fromisoformat, help="the day after the last day (UTC)")
        parser.add_argument("file", type=Path)
        parser.add_argument("--xlsx", action="store_true", help="each file as XLSX, too")

    def handle(self, **options: Any) -> None:
        try:
            operator = find_operator(slug=options["operator"]).id
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        since, until = (datetime.combine(options[name], time(), tzinfo=UTC) for name in ("since", "until"))
        pieces = exports.export_operator(
            operator=operator, since=since, until=until, now=timezone.now(), workbooks=options["xlsx"]
        )
        with options["file"].open("wb") as file:
            file.writelines(pieces)
        with zipfile.ZipFile(options["file"]) as archive:
            counts = json.loads(archive.read("manifest.json"))["rows"]
        rows = " ".join(f"{name}={count}" for name, count in counts.items())
        self.stdout.write(f"export: ok {rows} written to {options['file']}")
