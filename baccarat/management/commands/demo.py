"""`manage.py demo SLUG`: furnishes a sandbox operator with tables, players and a deposit method to try."""

import os
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from baccarat.web import demo
from casino.kernel.errors import Refusal

ADMIN = "admin"
PASSWORD = "DJANGO_SUPERUSER_PASSWORD"  # noqa: S105  (the name of the variable, which `createsuperuser` reads too)


class Command(BaseCommand):
    help = "Opens a table of each preset and registers players with money for a sandbox operator; repeats safely."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the operator, as `manage.py operator create` named it")
        parser.add_argument("--key", action="store_true", help="make the operator if it is missing, and a key for it")
        parser.add_argument(
            "--admin", action="store_true", help=f"make the superuser `{ADMIN}`, password in {PASSWORD}"
        )

    def handle(self, *_: Any, slug: str, key: bool, admin: bool, **__: Any) -> None:
        """Make what is missing and print it."""
        if admin:
            self._make_admin()
        try:
            if key:
                key_id, secret = demo.open_house(slug=slug)
                self.stdout.write(f"Authorization: Bearer {key_id}.{secret}")
            made = demo.furnish(slug=slug)
        except Refusal as refusal:
            raise CommandError(refusal.told()) from None
        self.stdout.write(f"made: {', '.join(made) or 'nothing, all is there'}")

    def _make_admin(self) -> None:
        if not os.environ.get(PASSWORD):
            raise CommandError(f"Set {PASSWORD} to the password that `{ADMIN}` shall have.")
        if not User.objects.filter(username=ADMIN).exists():
            User.objects.create_superuser(ADMIN, f"{ADMIN}@localhost", os.environ[PASSWORD])
