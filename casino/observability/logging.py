"""What a log line is about, and logs and error pages without row data or local variables."""

import logging
import re
import secrets
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import FrameType, TracebackType
from typing import Any, Final

import msgspec
from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter

HEADER: Final = "X-Request-Id"
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}", re.ASCII)
_ROW: Final = re.compile(r"^(DETAIL:|CONTEXT:).*$", re.MULTILINE)
"""Lines of a PostgreSQL error that quote the row."""
_NOTHING: Final[Mapping[str, str]] = {}
_context: ContextVar[Mapping[str, str]] = ContextVar("casino_log_context", default=_NOTHING)
_trace_readers: Final[list[Callable[[], str]]] = []


def read_trace_with(reader: Callable[[], str]) -> None:
    """Let lines have the id of the current trace, which `reader` returns; empty for none."""
    _trace_readers[:] = [reader]


def trace_id() -> str:
    """Return the id of the current trace; empty for none, and where traces are off."""
    return _trace_readers[0]() if _trace_readers else ""


def begin(request: str) -> None:
    """Begin a request or a task in this thread: its lines have this id, and those that `bind` adds."""
    _context.set({"request": request})


def bind(**ids: object) -> None:
    """Add ids to the lines of this request or task, such as `operator` and `round`; None removes one."""
    bound = {**_context.get(), **{name: str(value) for name, value in ids.items() if value is not None}}
    _context.set({name: value for name, value in bound.items() if name not in ids or ids[name] is not None})


def request_id(request: HttpRequest) -> str:
    """Return the id of a request: its X-Request-Id, if that is 8 to 64 plain characters, or a new one."""
    known: str | None = getattr(request, "request_id", None)
    if known is not None:
        return known
    header = request.META.get("HTTP_X_REQUEST_ID", "")
    new_id: str = header if _REQUEST_ID.fullmatch(header) else secrets.token_hex(16)
    request.request_id = new_id  # type: ignore[attr-defined]
    begin(new_id)
    return new_id


class ContextFilter(logging.Filter):
    """Adds `context`, and of it `request_id`, to every log record: `-` outside a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        context = _context.get()
        record.context, record.request_id = context, context.get("request", "-")
        return True


class RedactingFormatter(logging.Formatter):
    """Formats log records without the row data in database errors."""

    def formatException(  # noqa: N802  (the library's name)
        self, ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        return _ROW.sub(r"\1 left out", super().formatException(ei))


class JsonFormatter(RedactingFormatter):
    """Formats a log record as one line of JSON, with the ids that are known: request, operator, table, round, trace."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "context", _NOTHING),
        }
        if trace := trace_id():
            line["trace"] = trace
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class RedactingExceptionFilter(SafeExceptionReporterFilter):
    """Leaves local variables out of Django's error pages and mails: they may hold seeds, cards, keys or passwords."""

    def get_traceback_frame_variables(self, request: Any, tb_frame: FrameType) -> list[tuple[str, Any]]:  # type: ignore[override]
        del request, tb_frame
        return []


def log_settings(*, formatter: str, level: str, celery_level: str) -> dict[str, Any]:
    """Return Django's LOGGING. `formatter` is `lines` or `json`; lines of requests are JSON in any case."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"context": {"()": f"{__name__}.ContextFilter"}},
        "formatters": {
            "lines": {
                "()": f"{__name__}.RedactingFormatter",
                "format": "%(asctime)s %(levelname)s %(name)s %(request_id)s %(message)s",
            },
            "json": {"()": f"{__name__}.JsonFormatter"},
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": formatter, "filters": ["context"]},
            "requests": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"},
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "casino.requests": {"handlers": ["requests"], "level": "INFO", "propagate": False},
            "httpx": {"level": "WARNING"},
            "axes": {"level": "ERROR"},  # casino.staff records failures as significant events
            "fontTools": {"level": "WARNING"},
            "celery": {"level": celery_level},
        },
    }
