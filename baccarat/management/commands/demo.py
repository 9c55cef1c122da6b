"""`manage.py demo SLUG`: create tables, players and a deposit method for a sandbox operator."""

import os
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from baccarat.web import demo
from casino.kernel.errors import Refusal
from casino.staff import commands

DEFAULT_ADMIN = "admin"
PASSWORD_VARIABLE = "DJANGO_SUPERUSER_PASSWORD"  # noqa: S105  (the name of the variable, which `createsuperuser` reads too)


class Command(BaseCommand):
    help = "Opens a table of each preset and registers players with money for a sandbox operator; repeats safely."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the operator's short name")
        parser.add_argument("--key", action="store_true", help="create the operator if it is missing, and a key for it")
        parser.add_argument("--customer-care", default="", help="the contact that players are given for help")
        parser.add_argument(
            "--admin",
            action="store_true",
            help=f"create the superuser `{DEFAULT_ADMIN}`, password in {PASSWORD_VARIABLE}",
        )

    def handle(self, *_: Any, slug: str, key: bool, admin: bool, customer_care: str, **__: Any) -> None:
        if admin:
            self._create_admin()
        try:
            if key:
                key_id, secret = demo.create_sandbox_operator(slug=slug)
                self.stdout.write(f"Authorization: Bearer {key_id}.{secret}")
            created = demo.set_up_demo(slug=slug, customer_care=customer_care)
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None
        self.stdout.write(f"created: {', '.join(created) or 'nothing, everything exists'}")

    def _create_admin(self) -> None:
        if not os.environ.get(PASSWORD_VARIABLE):
            raise CommandError(f"Set {PASSWORD_VARIABLE} to the password of `{DEFAULT_ADMIN}`.")
        if User.objects.filter(username=DEFAULT_ADMIN).exists():
            return
        commands.require_few_administrators("they make others in the admin.")
        with transaction.atomic():
            user = User.objects.create_superuser(
                DEFAULT_ADMIN, f"{DEFAULT_ADMIN}@localhost", os.environ[PASSWORD_VARIABLE]
            )
            commands.record_access(user, "The administrator of a demo was made by a command")
