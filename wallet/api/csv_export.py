"""Lists as JSON pages or as one streamed CSV file: period, format and download."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.fields import EnumField
from casino.api.json_format import ShapeRenderer
from casino.api.shapes import Shape
from casino.kernel.csv_escape import escape_cell

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)


class ExportFormat(StrEnum):
    """The format of a list."""

    JSON = "json"
    CSV = "csv"


class CsvRenderer(BaseRenderer):
    """Lets callers request `text/csv` by Accept; the rows are streamed by the view itself."""

    media_type = "text/csv"
    format = "csv"


RENDERERS: Final = [ShapeRenderer, CsvRenderer]


@extend_schema_field({"type": "string", "examples": ["2026-11-01T09:00:00Z"]})
class DateTimeOrDateField(serializers.Field[datetime, Any, str, datetime]):
    """An RFC 3339 time with its offset, or a date, which begins at midnight UTC."""

    codes = ("field_invalid",)

    def to_internal_value(self, data: Any) -> datetime:
        try:
            if isinstance(data, str) and _DATE.fullmatch(data):
                return datetime.fromisoformat(data).replace(tzinfo=UTC)
            if isinstance(data, str) and _DATE_TIME.fullmatch(data):
                return datetime.fromisoformat(data).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise ValidationError("This is not a time such as 2026-11-21T09:00:00Z.", code="field_invalid")

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class PeriodQuery(serializers.Serializer[Any]):
    """The period and format of a list."""

    def get_fields(self) -> dict[str, Any]:
        """Add the fields whose names are reserved by Python or by the framework."""
        since = "Only from this time on, such as 2026-11-01 or 2026-11-01T09:00:00Z."
        return {
            **super().get_fields(),
            "from": DateTimeOrDateField(required=False, default=None, help_text=since),
            "to": DateTimeOrDateField(required=False, default=None, help_text="Only before this time."),
            "format": EnumField(
                ExportFormat, required=False, default=None, help_text="Default: the format of the Accept header."
            ),
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
