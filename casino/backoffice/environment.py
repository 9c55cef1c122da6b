"""What the header says about where one is."""

from django.conf import settings
from django.http import HttpRequest


def label(request: HttpRequest) -> list[str]:
    """Return the environment's name and the colour it is shown in."""
    del request
    return ["Production", "danger"] if settings.PRODUCTION else ["Development", "info"]
