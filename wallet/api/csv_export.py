"""Lists as JSON pages or as one streamed CSV file: period, format and download."""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.http import StreamingHttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import EnumField, PeriodQuery
from casino.api.json_format import ShapeRenderer
from casino.api.shapes import Shape
from casino.kernel.csv_escape import escape_cell


class ExportFormat(StrEnum):
    """The format of a list."""

    JSON = "json"
    CSV = "csv"


class CsvRenderer(BaseRenderer):
    """Lets callers request `text/csv` by Accept; the rows are streamed by the view itself."""

    media_type = "text/csv"
    format = "csv"


RENDERERS: Final = [ShapeRenderer, CsvRenderer]


class ExportQuery(PeriodQuery):
    """The period and format of a list."""

    def get_fields(self) -> dict[str, Any]:
        """Add the field whose name is reserved by the framework."""
        help_text = "Default: the format of the Accept header."
        return {
            **super().get_fields(),
            "format": EnumField(ExportFormat, required=False, default=None, help_text=help_text),
        }


def requested_format(request: Request, query: dict[str, Any]) -> ExportFormat:
    """Return the format that the query or else the Accept header requests."""
    return query["format"] or ExportFormat(getattr(request.accepted_renderer, "format", ExportFormat.JSON))


def json_response(request: Request, page: Shape) -> Response:
    """Answer with JSON, also where the Accept header prefers CSV."""
    request.accepted_renderer, request.accepted_media_type = ShapeRenderer(), ShapeRenderer.media_type
    return Response(page)


def download(rows: Iterator[str], *, name: str) -> StreamingHttpResponse:
    """Answer with a file of this name, written while it is sent."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=headers)


def format_csv(rows: Sequence[Sequence[object]]) -> str:
    """Write rows as CSV (RFC 4180)."""
    sheet = io.StringIO()
    csv.writer(sheet).writerows([[escape_cell(str(cell)) for cell in row] for row in rows])
    return sheet.getvalue()


def format_time(time: datetime | None) -> str:
    """Write a time in RFC 3339, nothing for None."""
    return "" if time is None else time.isoformat().replace("+00:00", "Z")
