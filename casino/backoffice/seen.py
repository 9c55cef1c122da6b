"""That somebody looked at something. Who keeps it is named by settings.ADMIN_SEEN, as it stands above this part."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.utils.module_loading import import_string


def seen(request: HttpRequest, *, subject: str, operator: UUID | None = None) -> None:
    """Note that whoever asks looks at `subject`, such as player:<id>, of an operator's."""
    import_string(settings.ADMIN_SEEN)(request, subject=subject, operator=operator)
