"""A form of a report: how its document becomes the bytes of a file."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from casino.reports.document import read
from casino.reports.models import Report
from casino.reports.refusals import UnknownFormat


@dataclass(frozen=True, slots=True)
class Form:
    """`write` turns a document into bytes; None for the document itself, as it was kept."""

    extension: str
    media_type: str
    write: Callable[[dict[str, Any]], bytes] | None


@dataclass(frozen=True, slots=True)
class File:
    """What is sent: a name, a media type, bytes."""

    name: str
    media_type: str
    content: bytes


def names() -> list[str]:
    """List the forms there are."""
    return list(settings.REPORT_FORMATS)


def file_of(report: Report, form: str) -> File:
    """Write a report in one form, loading what that takes. Raises UnknownFormat."""
    path = settings.REPORT_FORMATS.get(form)
    if path is None:
        raise UnknownFormat(f"{form[:40]!r} is none of {', '.join(names())}.")
    chosen: Form = import_string(path)
    content = bytes(report.content)
    name = f"{report.name}-{report.period}-{report.since:%Y%m%d}-v{report.version}.{chosen.extension}"
    return File(name, chosen.media_type, content if chosen.write is None else chosen.write(read(content)))
