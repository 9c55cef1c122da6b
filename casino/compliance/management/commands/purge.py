"""`manage.py purge`: show the data that may be deleted, and delete it with --confirm.

That gives whoever runs it no power: the schedule deletes the same, the database refuses what law and settings keep, and
a significant event says that it was by a command.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from casino.compliance import retention
from casino.kernel.errors import Refusal
from casino.operators.memberships import shell_actor


class Command(BaseCommand):
    help = "Delete data older than its retention period. Without --confirm only show what would be deleted."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", nargs="*", help="kinds of data; all kinds if none is given")
        parser.add_argument("--older-than", type=int, metavar="DAYS", help="a longer age than the policy's")
        parser.add_argument("--confirm", action="store_true", help="delete")

    def handle(self, **options: Any) -> None:
        kinds, days = options["kind"] or list(retention.RETENTION_POLICIES), options["older_than"]
        try:
            for kind in kinds:  # purge nothing if one kind is refused
                retention.retention_days(kind, days)
            if options["confirm"]:
                results = [retention.purge(kind, by=shell_actor(), days=days) for kind in kinds]
            else:
                results = [retention.preview_purge(kind, days=days) for kind in kinds]
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        Console().print(_table(results, confirmed=options["confirm"]))


def _table(results: list[retention.PurgeResult], *, confirmed: bool) -> Table:
    title = "Purged" if confirmed else "Would be purged (--confirm deletes)"
    table = Table("data", "kept for", "older than", "rows", title=title)
    for each in results:
        before = each.before.isoformat(sep=" ", timespec="seconds")
        table.add_row(each.kind, f"{each.days} days", before, str(each.rows))
    return table
