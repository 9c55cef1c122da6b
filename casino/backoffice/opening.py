"""What is sealed is opened where it is shown. Who opens is named by settings.ADMIN_OPENS: it stands above this part."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string


def open_rows(rows: Iterable[Any]) -> None:
    """Open every sealed text among the values of these rows, in their places."""
    import_string(settings.ADMIN_OPENS)(rows)
