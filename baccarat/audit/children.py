"""How a process of an audit begins: nothing here may be loaded that needs Django to be set up."""

from typing import Any

import django
from django.conf import settings


def begin(databases: dict[str, dict[str, Any]]) -> None:
    """This will set Django up on the databases of the process that shares its work."""
    settings.DATABASES = databases
    django.setup()
