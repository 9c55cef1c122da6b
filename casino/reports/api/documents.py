"""How operations about reports are documented, examples included."""

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema

from casino.api import paging
from casino.reports.api import serializers as shapes

_MADE: Final[dict[str, Any]] = {
    "id": "0199f3a2-8a11-7c02-9d33-5e7f90a1b2c3",
    "name": "revenue",
    "period": "day",
    "label": "2026-11-20",
    "since": "2026-11-19T23:00:00Z",
    "until": "2026-11-20T23:00:00Z",
    "version": 1,
    "rows": 4,
    "position": 81234,
    "generated_at": "2026-11-21T00:01:00Z",
    "generated_by": "system",
    "sha256": "5c1d0c0e6a0f9a1f0b4e9d2c7b8a6f5e4d3c2b1a0f9e8d7c6b5a493827160504",
    "facts_digest": "a0f9e8d7c6b5a4938271605045c1d0c0e6a0f9a1f0b4e9d2c7b8a6f5e4d3c2b1",
}
_KIND: Final = {
    "name": "liability",
    "title": "Operator liability",
    "about": "What players own when the interval ends.",
    "point_in_time": True,
    "columns": [
        {"name": "money", "title": "Money", "kind": "text"},
        {"name": "currency", "title": "Currency", "kind": "text"},
        {"name": "owed", "title": "Owed to players", "kind": "money"},
    ],
}
_ASKED: Final = {"name": "revenue", "period": "day", "date": "2026-11-20"}


def _examples(answer: Any, *, status: str = "200", asked: Any = None) -> list[OpenApiExample]:
    shown = [OpenApiExample("Answer", value=answer, response_only=True, status_codes=[status])]
    return shown if asked is None else [OpenApiExample("Request", value=asked, request_only=True), *shown]


def _file(media_type: str, value: Any) -> OpenApiExample:
    return OpenApiExample("File", value=value, response_only=True, status_codes=["200"], media_type=media_type)


list_kinds: Final = extend_schema(
    operation_id="listReportDefinitions",
    summary="List the reports there are, with their columns",
    responses=shapes.OperatorReportKindList,
    examples=_examples({"items": [_KIND], "formats": ["json", "csv", "parquet", "pdf"]}),
)
list_reports: Final = extend_schema(
    operation_id="listReports",
    summary="List versions of reports that were made, newest first; each day's are made by themselves",
    parameters=[OpenApiParameter("name", str, description="Of one report alone."), *paging.PARAMETERS],
    responses=shapes.OperatorReportPage,
    examples=_examples({"items": [_MADE], "next": None}),
)
generate_report: Final = extend_schema(
    operation_id="createReport",
    summary="Have a report made now; where nothing has changed, the version there is",
    request=shapes.OperatorReportRequest,
    responses={201: shapes.OperatorReportResponse},
    examples=_examples(_MADE, status="201", asked=_ASKED),
)
get_report: Final = extend_schema(
    operation_id="getReport",
    summary="Show one version of a report",
    responses=shapes.OperatorReportResponse,
    examples=_examples(_MADE),
)
download_report: Final = extend_schema(
    operation_id="downloadReport",
    summary="Download one version of a report",
    parameters=[
        OpenApiParameter("format", str, enum=["json", "csv", "parquet", "pdf"], description="json when left out.")
    ],
    responses={
        (200, "application/json"): OpenApiTypes.OBJECT,
        (200, "text/csv"): OpenApiTypes.STR,
        (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
        (200, "application/pdf"): OpenApiTypes.BINARY,
    },
    examples=[
        _file("application/json", {"format": "casino.report.v1", "name": "revenue", "activity": False, "rows": []}),
        _file("text/csv", "Operator,Lucky (lucky)\r\nReport,Revenue\r\n"),
        _file("application/vnd.apache.parquet", "PAR1"),
        _file("application/pdf", "%PDF-1.3"),
    ],
)
