"""`{{ cell|named }}`: staff by their logins."""

from typing import Any

from django import template

from casino.admin import logins

register = template.Library()


@register.filter
def named(cell: Any) -> Any:
    """This will put logins where a cell's text speaks of staff:<number>, and leave anything else as it is."""
    return logins.named(cell) if isinstance(cell, str) else cell
