"""`manage.py restore MONTH`: write the payloads of a dropped month back into the database."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from baccarat.audit import dropping
from baccarat.management.commands.archive import exit_on, refusals_in_words


class Command(BaseCommand):
    help = "Write the payloads of a month that `archive --drop` took out of the database back, as the owner."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("month", help="a month of UTC, such as 2026-01")

    def handle(self, *_args: Any, month: str, **_options: Any) -> None:
        with refusals_in_words():
            restored = dropping.restore_month(month)
        exit_on(restored.findings)
        self.stdout.write(f"Restored the payloads of {restored.events} events of {month}.")
