"""`manage.py changepassword`: for an installation with one administrator. Two let a user set a password themselves."""

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.contrib.auth.models import User
from django.db import transaction

from casino.staff import commands


class Command(changepassword.Command):
    def handle(self, *args: Any, **options: Any) -> Any:
        """Change a password, and record it. Raises CommandError where two administrators do it."""
        commands.require_few_administrators("request it on the user's page in the admin, where the other confirms it.")
        with transaction.atomic():
            said = super().handle(*args, **options)
            user = User.objects.filter(username=options["username"]).first()
            if user is not None:
                commands.record_access(user, "A password was set by a command")
        return said
