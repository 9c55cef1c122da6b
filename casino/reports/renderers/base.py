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
class Renderer:
    """`write` turns a document into bytes; None for the document itself, as it was kept."""

    extension: str
    media_type: str
    render: Callable[[dict[str, Any]], bytes] | None


@dataclass(frozen=True, slots=True)
class RenderedReport:
    """What is sent: a name, a media type, bytes."""

    name: str
    media_type: str
    content: bytes


def format_names() -> list[str]:
    """List the forms there are."""
    return list(settings.REPORT_FORMATS)


def render_report(report: Report, form: str) -> RenderedReport:
    """Write a report in one form, loading what that takes. Raises UnknownFormat."""
    path = settings.REPORT_FORMATS.get(form)
    if path is None:
        raise UnknownFormat(f"{form[:40]!r} is none of {', '.join(format_names())}.")
    chosen: Renderer = import_string(path)
    content = bytes(report.content)
    name = f"{report.name}-{report.period}-{report.since:%Y%m%d}-v{report.version}.{chosen.extension}"
    return RenderedReport(name, chosen.media_type, content if chosen.render is None else chosen.render(read(content)))
