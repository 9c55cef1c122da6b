"""Who looked at what: written when a page is shown, and never changed."""

from typing import Final
from uuid import UUID

from django.http import HttpRequest

from casino.api.client_ip import address_of
from casino.staff.models import AccessLogEntry

MAX_PATH_LENGTH: Final = 500
"""Characters of an address that are kept. Its query is not: a search may hold what is personal."""


def record_access(request: HttpRequest, *, subject: str, operator: UUID | None = None) -> None:
    """Keep that the member of staff who asks looks at `subject` now; an operator's, or nobody's."""
    AccessLogEntry.objects.create(
        user_id=int(request.user.pk or 0),
        operator_id=operator,
        subject=subject,
        path=request.path[:MAX_PATH_LENGTH],
        address=address_of(request),
    )
