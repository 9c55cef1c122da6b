"""`{{ value|cell }}`: a value of a page's facts or tables. `{{ part|crumb }}`: a part of the path in the header."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.contrib import admin
from django.db.models import Model
from django.utils.text import capfirst

from casino.backoffice import html
from casino.backoffice.menu import NAVIGATION

register = template.Library()


@register.filter
def cell(value: Any) -> Any:
    """Print times in the user's time zone, members of staff by their logins, and None and empty text as a dash."""
    if value is None or value == "":
        return html.NOTHING
    if isinstance(value, datetime):
        return html.moment(value)
    return html.with_logins(value) if isinstance(value, str) else value


@register.filter
def crumb(part: Mapping[str, Any]) -> str:
    """Name a page by its title, and a list as the menu does."""
    title, link = part["title"], str(part.get("link", ""))
    if isinstance(title, Model):
        title_of = getattr(admin.site.get_model_admin(type(title)), "title_of", str)  # Django's own pages have none
        return str(title_of(title))
    pages = (page for group in NAVIGATION for entry in group["items"] for page in entry["pages"])
    names = {str(page["link"]): page["title"] for page in pages}
    return str(names.get(link) or capfirst(title))
