from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from casino.events import sealer
from casino.observability.process import process_started, stop_at_signals


class Command(BaseCommand):
    """Run the sealer. Any number may run; one seals at a time, and another takes over when it ends."""

    help = "Seal events as they are committed, until SIGTERM or SIGINT; with --once, seal waiting events and exit."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="seal waiting events and exit")
        parser.add_argument(
            "--limit", type=int, default=1000, help="maximum number of events in one transaction (1000)"
        )

    def handle(self, *, once: bool, limit: int, **_: object) -> None:
        if once:
            self.stdout.write(f"sealed {sealer.seal_all(limit=limit)}")
            return
        stop = stop_at_signals()
        process_started("sealer")
        sealer.run(stop, limit=limit)
