"""`manage.py demo SLUG`: furnishes a sandbox operator with tables, players and a deposit method to try."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from baccarat.page import demo
from casino.kernel.refusals import Refusal


class Command(BaseCommand):
    help = "Opens a table of each preset and registers players with money for a sandbox operator; repeats safely."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the operator, as `manage.py operator create` named it")

    def handle(self, *_: Any, **options: Any) -> None:
        """This will make what is missing and print it."""
        try:
            made = demo.furnish(slug=options["slug"])
        except Refusal as refusal:
            raise CommandError(refusal.told()) from None
        self.stdout.write(f"made: {', '.join(made) or 'nothing, all is there'}")
