import signal
import threading
from types import FrameType

from django.core.management.base import BaseCommand

from casino.celery import app
from casino.jobs.runner import JobRunner
from casino.observability.process import process_started


class Command(BaseCommand):
    """Run periodic jobs, one at a time. Any number may run: they share the jobs by leases in PostgreSQL."""

    help = "Run periodic jobs when they are due, until SIGTERM or SIGINT."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        stop = threading.Event()

        def handle_signal(_signal: int, _frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, handle_signal)
        signal.signal(signal.SIGINT, handle_signal)
        app.loader.import_default_modules()
        process_started("worker-background")
        JobRunner(app).run(stop)
