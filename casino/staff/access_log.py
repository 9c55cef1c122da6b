"""Records access by staff to players' data. Entries never change."""

from typing import Final
from uuid import UUID

from django.http import HttpRequest

from casino.api.client_ip import address_of
from casino.staff.models import AccessLogEntry

MAX_PATH_LENGTH: Final = 500
"""Maximum characters of a URL. The query is left out: a search may contain personal data."""


def record_access(request: HttpRequest, *, subject: str, operator: UUID | None = None) -> None:
    """Record that the current member of staff views `subject`, of an operator or of none."""
    AccessLogEntry.objects.create(
        user_id=int(request.user.pk or 0),
        operator_id=operator,
        subject=subject,
        path=request.path[:MAX_PATH_LENGTH],
        address=address_of(request),
    )
