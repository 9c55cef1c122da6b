"""manage.py access_review: prints the quarterly access review."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.table import Table

from casino.api.sheets import sheet_as_csv
from casino.staff import access_review

TABLE_COLUMNS = ("login", "roles", "operators", "status", "second_factor", "last_access", "last_address")


class Command(BaseCommand):
    help = "List users with their roles, last access and status, or write the whole review as CSV."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--csv", metavar="FILE", type=Path, help="write the whole review to this file, with functions"
        )

    def handle(self, **options: Any) -> None:
        rows = access_review.review_members(access_review.members(None).order_by("pk"))
        if options["csv"] is not None:
            options["csv"].write_bytes(b"".join(sheet_as_csv(access_review.review_sheet(rows))))
            self.stdout.write(f"{len(rows)} users written to {options['csv']}.")
            return
        table = Table(*TABLE_COLUMNS, title="Access review")
        for row in rows:
            cells = dict(zip(access_review.COLUMNS, access_review.format_row(row), strict=True))
            table.add_row(*(cells[column] for column in TABLE_COLUMNS))
        Console().print(table)
