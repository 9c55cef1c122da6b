"""What waits, for the admin's side bar."""

from typing import Final

from django.http import HttpRequest

from baccarat.chat import queries
from casino.admin import scope

MOST: Final = 99


def reports(request: HttpRequest) -> str:
    """This will count the reports that wait for a moderator, for those who may see them."""
    if not request.user.has_perm("chat.view_report"):
        return ""
    allowed = scope.operators(request)
    count = queries.waiting(operators=None if allowed is None else list(allowed), most=MOST)
    return str(count) if count else ""
