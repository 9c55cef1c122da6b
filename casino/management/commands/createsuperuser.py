"""`manage.py createsuperuser`: the first two administrators of an installation. Others are made in the admin."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.db import transaction

from casino.staff import commands


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Create a superuser, and record it. Raises CommandError where two administrators are enough."""
        commands.require_few_administrators("create the user in the admin, where another administrator confirms it.")
        known = set(User.objects.values_list("pk", flat=True))
        with transaction.atomic():
            super().handle(*args, **options)
            for user in User.objects.exclude(pk__in=known):
                commands.record_access(user, "A superuser was made by a command")
