"""Django's error pages and mails: where it happened, and nothing of the values that were at hand there.

Among those may be a shoe's seed, cards still to come, a key or a password. Only what draws such a page loads this.
"""

from types import FrameType
from typing import Any

from django.views.debug import SafeExceptionReporterFilter


class RedactingExceptionFilter(SafeExceptionReporterFilter):
    """Django's error pages and mails without the local variables of any frame."""

    def get_traceback_frame_variables(self, request: Any, tb_frame: FrameType) -> list[tuple[str, Any]]:  # type: ignore[override]
        del request, tb_frame
        return []
