"""`{{ value|cell }}`: a value of a page's facts or tables."""

from datetime import datetime
from typing import Any

from django import template

from casino.backoffice import html

register = template.Library()


@register.filter
def cell(value: Any) -> Any:
    """Print times in the user's time zone, members of staff by their logins, and None and empty text as a dash."""
    if value is None or value == "":
        return html.NOTHING
    if isinstance(value, datetime):
        return html.moment(value)
    return html.with_logins(value) if isinstance(value, str) else value
