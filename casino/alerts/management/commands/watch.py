"""`manage.py watch`: tell people by e-mail when the health of the service changes. It needs no database."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from casino.alerts import watch
from casino.observability.process import stop_at_signals


class Command(BaseCommand):
    help = "Ask /healthz again and again, and tell ALERT_EMAILS of each change, until SIGTERM or SIGINT."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        default = "http://127.0.0.1:8000/healthz"
        parser.add_argument("url", nargs="?", default=default, help=f"of /healthz; default: {default}")

    def handle(self, *_args: Any, url: str, **_options: Any) -> None:
        watch.run(url, stop_at_signals())
