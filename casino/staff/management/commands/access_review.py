"""manage.py access_review: prints the quarterly access review."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.table import Table

from casino.staff import access_review

TABLE_COLUMNS = ("login", "roles", "operators", "status", "second_factor", "last_access", "last_address")


class Command(BaseCommand):
    """Prints the review, or writes all of it as CSV."""

    help = "Lists users with their roles and functions, last access, password change and standing."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--csv", metavar="FILE", type=Path, help="write the whole review there, functions too")

    def handle(self, **options: Any) -> None:
        reviewed = access_review.review_members(access_review.members(None).order_by("pk"))
        if options["csv"] is not None:
            options["csv"].write_text("".join(access_review.as_csv(reviewed)), encoding="utf-8", newline="")
            self.stdout.write(f"{len(reviewed)} users written to {options['csv']}.")
            return
        table = Table(*TABLE_COLUMNS, title="Who may do what")
        for line in reviewed:
            cells = dict(zip(access_review.COLUMNS, access_review.format_row(line), strict=True))
            table.add_row(*(cells[column] for column in TABLE_COLUMNS))
        Console().print(table)
