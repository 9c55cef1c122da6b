"""Request ids, and logs and error pages without row data or local variables."""

import logging
import re
import secrets
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, Final

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter

HEADER: Final = "X-Request-Id"
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
_ROW: Final = re.compile(r"^(DETAIL:|CONTEXT:).*$", re.MULTILINE)
"""Lines of a PostgreSQL error that quote the row."""
_current: ContextVar[str] = ContextVar("casino_request_id", default="-")


def request_id(request: HttpRequest) -> str:
    """Return the id of a request: its X-Request-Id, if that is 8 to 64 plain characters, or a new one."""
    known: str | None = getattr(request, "request_id", None)
    if known is not None:
        return known
    header = request.META.get("HTTP_X_REQUEST_ID", "")
    new_id: str = header if _REQUEST_ID.fullmatch(header) else secrets.token_hex(16)
    request.request_id = new_id  # type: ignore[attr-defined]
    _current.set(new_id)
    return new_id


class RequestIdFilter(logging.Filter):
    """Adds `request_id` to every log record, `-` outside a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _current.get()
        return True


class RedactingFormatter(logging.Formatter):
    """Formats log records without the row data in database errors."""

    def formatException(  # noqa: N802  (the library's name)
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        return _ROW.sub(r"\1 left out", super().formatException(ei))


class RedactingExceptionFilter(SafeExceptionReporterFilter):
    """Leaves local variables out of Django's error pages and mails: they may hold seeds, cards, keys or passwords."""

    def get_traceback_frame_variables(self, request: Any, tb_frame: FrameType) -> list[tuple[str, Any]]:  # type: ignore[override]
        del request, tb_frame
        return []
