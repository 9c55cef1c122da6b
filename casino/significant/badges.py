"""The number beside the side bar's line: how many significant events wait for somebody. Counted to a hundred."""

from typing import Final

from django.http import HttpRequest

from casino.admin import scope
from casino.significant.models import Unacknowledged

MOST: Final = 100


def unacknowledged(request: HttpRequest) -> str:
    """This will count the significant events that nobody has acknowledged."""
    if not request.user.has_perm("significant.view_significantevent"):
        return ""
    count = scope.within(Unacknowledged.objects.all(), request)[:MOST].count()
    return f"{count}+" if count == MOST else str(count or "")
