from django.core.management.base import BaseCommand

from casino.celery import app
from casino.jobs.runner import JobRunner
from casino.observability.process import process_started, stop_at_signals


class Command(BaseCommand):
    """Run periodic jobs, one at a time. Any number may run: they share the jobs by leases in PostgreSQL."""

    help = "Run periodic jobs when they are due, until SIGTERM or SIGINT."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        stop = stop_at_signals()
        app.loader.import_default_modules()
        process_started("worker-background")
        JobRunner(app).run(stop)
