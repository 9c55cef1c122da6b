"""How a process of an audit begins: nothing here may be loaded that needs Django to be set up."""

from typing import Any, Final

import django
from django.conf import settings
from django.db import connections

_PARENTS: Final[list[Any]] = []
"""Connections of the process that we were forked from: never to be used, nor closed, which would end its sessions."""


def set_up_process(databases: dict[str, dict[str, Any]]) -> None:
    """Set Django up on the databases of the process that shares its work, with connections of our own."""
    settings.DATABASES = databases
    django.setup()
    for alias in databases:
        connections.settings[alias]["OPTIONS"].pop("pool", None)
        _PARENTS.append(connections[alias])
        del connections[alias]
