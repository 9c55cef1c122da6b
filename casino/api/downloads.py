"""Lists as JSON pages or as one file: period, format, name and answer."""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample
from msgspec import Meta
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.json_format import ShapeRenderer
from casino.api.requests import PeriodQuery
from casino.api.shapes import Shape
from casino.api.sheets import CSV, XLSX, Sheet, format_cell, pieces_of, sheet_as_csv, write_xlsx


class ExportFormat(StrEnum):
    """The format of a list."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"


class CsvRenderer(BaseRenderer):
    """Lets callers request `text/csv` by Accept; the rows are streamed by the view itself."""

    media_type = CSV
    format = ExportFormat.CSV.value


class XlsxRenderer(BaseRenderer):
    """Lets callers request a workbook by Accept."""

    media_type = XLSX
    format = ExportFormat.XLSX.value


FILES: Final = (ExportFormat.XLSX, ExportFormat.CSV)
RENDERERS: Final = [ShapeRenderer, CsvRenderer, XlsxRenderer]


class ExportQuery(PeriodQuery):
    """The period and format of a list."""

    format: Annotated[ExportFormat | None, Meta(description="Default: the format of the Accept header.")] = None


def file_answers(sheet: str) -> dict[str, Any]:
    """Return keyword arguments for `operation` that document the files beside JSON, with an example of CSV."""
    return {
        "responses": {(200, CSV): OpenApiTypes.STR, (200, XLSX): OpenApiTypes.BINARY},
        "examples": [
            OpenApiExample(name, text, response_only=True, media_type=media_type, status_codes=["200"])
            for name, text, media_type in (("Sheet", sheet, CSV), ("Workbook", "(bytes of a workbook)", XLSX))
        ],
    }


def requested_format(request: Request, query: ExportQuery) -> ExportFormat:
    """Return the format that the query or else the Accept header requests."""
    return query.format or ExportFormat(getattr(request.accepted_renderer, "format", ExportFormat.JSON))


def json_response(request: Request, page: Shape) -> Response:
    """Answer with JSON, also where the Accept header prefers a file."""
    request.accepted_renderer, request.accepted_media_type = ShapeRenderer(), ShapeRenderer.media_type
    return Response(page)


def file_stem(*parts: str, since: datetime | None = None, until: datetime | None = None) -> str:
    """Return the name of a file, without its format: whose it is, what it is, and from when to when (UTC)."""
    ends = [re.sub(r"T00:00:00Z$|[^0-9TZ-]", "", format_cell(end)) for end in (since, until)]
    period = "-to-".join(ends) if all(ends) else (f"from-{ends[0]}" if ends[0] else f"to-{ends[1]}" if ends[1] else "")
    return "-".join(filter(None, [*parts, period]))


def download(sheet: Sheet, file_format: ExportFormat, stem: str) -> StreamingHttpResponse:
    """Answer with a table as a file; CSV is written while it is sent."""
    if file_format is ExportFormat.XLSX:
        pieces, media_type = pieces_of(write_xlsx([sheet])), XLSX
    else:
        pieces, media_type = sheet_as_csv(sheet), f"{CSV}; charset=utf-8"
    headers = {"Content-Disposition": f'attachment; filename="{stem}.{file_format}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(pieces, content_type=media_type, headers=headers)
