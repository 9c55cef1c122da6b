"""`{{ cell|named }}`: staff by their logins."""

from typing import Any

from django import template

from casino.backoffice import staff_names

register = template.Library()


@register.filter
def with_logins(cell: Any) -> Any:
    """Put logins where a cell's text speaks of staff:<number>, and leave anything else as it is."""
    return staff_names.named(cell) if isinstance(cell, str) else cell
