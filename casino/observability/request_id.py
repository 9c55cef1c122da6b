"""The id of a request: taken from X-Request-Id or made here, and carried into answers, events and log lines."""

import logging
import re
import secrets
from contextvars import ContextVar
from typing import Final

from django.http import HttpRequest

HEADER: Final = "X-Request-Id"
_GIVEN: Final = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
_current: ContextVar[str] = ContextVar("casino_request_id", default="-")


def request_id(request: HttpRequest) -> str:
    """Return the request's id: the caller's, when it is 8 to 64 plain characters, or a new one."""
    known: str | None = getattr(request, "request_id", None)
    if known is not None:
        return known
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    made: str = given if _GIVEN.fullmatch(given) else secrets.token_hex(16)
    request.request_id = made  # type: ignore[attr-defined]
    _current.set(made)
    return made


class RequestIdFilter(logging.Filter):
    """Adds `request_id` to every log record, `-` outside of a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _current.get()
        return True
