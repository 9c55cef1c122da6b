import asyncio
import signal

from django.core.management.base import BaseCommand

from casino.feed import outbound
from casino.observability.process import process_started


class Command(BaseCommand):
    """Write operators' feeds and send webhooks. Any number may run: they share the work by leases in PostgreSQL."""

    help = "Write feeds and send webhooks, until SIGTERM or SIGINT."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        process_started("worker-outbound")
        asyncio.run(self._run())

    async def _run(self) -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await outbound.run(stop)
