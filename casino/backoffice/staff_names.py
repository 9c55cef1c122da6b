"""Staff by their logins, for pages: events and rows name a member of staff by number alone."""

import re
from typing import Final

from django.contrib.auth.models import User
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from casino.backoffice.context import once

_STAFF: Final = re.compile(r"\bstaff:(\d{1,18})\b")


def named(text: str) -> str:
    """Put logins where a text speaks of staff:<number>; a number that nobody has stays."""
    if "staff:" not in text:
        return text
    known = once("logins", _logins)
    if isinstance(text, SafeString):
        return mark_safe(_STAFF.sub(lambda found: escape(known.get(int(found[1]), found[0])), text))  # noqa: S308  (escaped)
    return _STAFF.sub(lambda found: known.get(int(found[1]), found[0]), text)


def _logins() -> dict[int, str]:
    return dict(User.objects.values_list("pk", "username"))
