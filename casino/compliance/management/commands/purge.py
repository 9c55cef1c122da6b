"""manage.py purge: what is old enough to go, and with --go lets it go."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.table import Table

from casino.compliance import retention
from casino.kernel.errors import Refusal


class Command(BaseCommand):
    """Looks only, unless told to go on."""

    help = "Removes data that is older than it must be kept. Without --go it only says what it would do."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take kinds of data, an age, and who it is that purges."""
        parser.add_argument("kind", nargs="*", help="kinds of data; all that are ever purged without any")
        parser.add_argument("--older-than", type=int, metavar="DAYS", help="only what is older than that")
        parser.add_argument("--go", action="store_true", help="do it, instead of saying what would be done")
        parser.add_argument("--by", metavar="NAME", default="", help="who does it; wanted with --go")

    def handle(self, **options: Any) -> None:
        """Look at each kind or purge it. Raises CommandError for what is too young."""
        if options["go"] and not options["by"]:
            raise CommandError("Say who purges: --by NAME.")
        kinds, days = options["kind"] or list(retention.RETENTION_POLICIES), options["older_than"]
        try:
            for kind in kinds:  # none is purged if one may not be
                retention.retention_days(kind, days)
            if options["go"]:
                done = [retention.purge(kind, by=f"command:{options['by']}", days=days) for kind in kinds]
            else:
                done = [retention.preview_purge(kind, days=days) for kind in kinds]
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        Console().print(_table(done, gone=options["go"]))


def _table(done: list[retention.PurgeResult], *, gone: bool) -> Table:
    table = Table(
        "data", "kept for", "older than", "rows", title="Purged" if gone else "Would be purged (--go does it)"
    )
    for one in done:
        table.add_row(one.kind, f"{one.days} days", one.before.isoformat(sep=" ", timespec="seconds"), str(one.rows))
    return table
