"""`{{ cell|with_logins }}`: members of staff by their logins."""

from typing import Any

from django import template

from casino.backoffice import html

register = template.Library()


@register.filter
def with_logins(cell: Any) -> Any:
    """Replace staff:<number> in text by logins; return anything else as it is."""
    return html.with_logins(cell) if isinstance(cell, str) else cell
