"""Reports for an operator: definitions, generated versions, and their files."""

from datetime import date, datetime
from typing import Annotated, Final
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, Day, Instant, Query, parse_body, parse_query, verbatim
from casino.api.shapes import HexText, ItemList, Page, Shape, Timestamp, open_enum
from casino.api.sheets import XLSX, ColumnType
from casino.operators.base_views import OperatorView
from casino.reports import acts, generation
from casino.reports.definition import Column, ReportDefinition, report_definitions, report_names
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.refusals import IntervalInvalid, IntervalNotBegun, UnknownFormat, UnknownOperatorReport
from casino.reports.renderers import RenderedReport, format_names, render_report

_FILES: Final = {
    "application/json": {"format": "casino.report.v1", "name": "revenue", "has_activity": False, "rows": []},
    "text/csv": "Operator,Lucky (lucky)\r\nReport,Revenue\r\n",
    XLSX: "(bytes of a workbook)",
    "application/pdf": "%PDF-1.3",
}
_FILE_TYPES: Final = {
    "application/json": OpenApiTypes.OBJECT,
    "text/csv": OpenApiTypes.STR,
    XLSX: OpenApiTypes.BINARY,
    "application/pdf": OpenApiTypes.BINARY,
}


class ReportRequest(Body):
    """`date` for a day, month or year, `since` and `until` for an interval, none of them for the lifetime."""

    name: Annotated[str, verbatim(40)]
    period: ReportPeriod
    date: Day | None = None
    since: Instant | None = None
    until: Instant | None = None


class ReportsQuery(Query):
    """A filter of the list."""

    name: Annotated[str, verbatim(40, "Only reports of this name.")] | None = None


ReportName = Annotated[str, open_enum(report_names, example="liability")]


class ReportResponse(Shape):
    """One version of a report."""

    id: UUID
    name: ReportName
    period: ReportPeriod
    label: Annotated[str, Meta(description="In your own time zone.", examples=["2026-11-20"])]
    since: Timestamp
    until: Annotated[Timestamp, Meta(description="Not included.")]
    version: int
    rows: Annotated[int, Meta(examples=[4])]
    generated_at: Timestamp
    generated_by: Annotated[str, Meta(examples=["system"])]
    sha256: Annotated[HexText, Meta(description="Of the JSON file.")]
    content_sha256: Annotated[HexText, Meta(description="Equal for versions with equal contents.")]

    @classmethod
    def of(cls, report: Report) -> "ReportResponse":

        return cls(
            id=report.id,
            name=report.name,
            period=ReportPeriod(report.period),
            label=report.label,
            since=report.since,
            until=report.until,
            version=report.version,
            rows=report.rows,
            generated_at=report.generated_at,
            generated_by=report.generated_by,
            sha256=report.sha256,
            content_sha256=report.facts_digest,
        )


class ReportPage(Page[ReportResponse]):
    """Versions of reports, newest first."""


class ReportColumn(Shape):
    """A column; money is in the row's currency, a rate is a share of one."""

    name: Annotated[str, Meta(examples=["handle"])]
    title: Annotated[str, Meta(examples=["Handle"])]
    kind: ColumnType

    @classmethod
    def of(cls, column: Column) -> "ReportColumn":

        return cls(column.name, column.title, column.kind)


class ReportDefinitionResponse(Shape):
    """A report that can be created."""

    name: ReportName
    title: Annotated[str, Meta(examples=["Operator liability"])]
    description: Annotated[str, Meta(examples=["The money that players own when the interval ends."])]
    point_in_time: Annotated[bool, Meta(description="It shows the state at the end of the interval.")]
    columns: tuple[ReportColumn, ...]

    @classmethod
    def of(cls, definition: ReportDefinition) -> "ReportDefinitionResponse":

        return cls(
            name=definition.name,
            title=definition.title,
            description=definition.description,
            point_in_time=definition.as_of_end,
            columns=tuple(map(ReportColumn.of, definition.columns)),
        )


class ReportDefinitionList(ItemList[ReportDefinitionResponse]):
    """All reports, and the formats of their files."""

    formats: tuple[Annotated[str, open_enum(format_names(), example="csv")], ...]


class ReportDefinitionListView(OperatorView):
    """The reports that can be created."""

    @operation(
        "listReportDefinitions",
        "List the reports with their columns",
        returns=ReportDefinitionList,
        description=("Names, columns and periods of all reports that `createReport` accepts."),
    )
    def get(self, _request: Request) -> Response:
        definitions = tuple(map(ReportDefinitionResponse.of, report_definitions().values()))
        return Response(ReportDefinitionList(definitions, formats=tuple(format_names())))


class ReportListView(OperatorView):
    """The caller's reports."""

    act = acts.CREATE_REPORT

    @operation(
        "listReports",
        "List versions of reports, newest first; the reports of each day are created automatically",
        parameters=[ReportsQuery, *paging.PARAMETERS],
        returns=ReportPage,
        description=("Every version that was ever created is kept. `name` selects one report."),
    )
    def get(self, request: Request) -> Response:
        name = parse_query(ReportsQuery, request).name
        page = paging.parse_page_request(request, str)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        reports = generation.list_reports(
            operator=self.caller.operator, name=name, before=before, limit=page.fetch_limit
        )
        return Response(
            paging.page(ReportPage, page, reports, key=lambda report: (str(report.id),), item=ReportResponse.of)
        )

    @operation(
        "createReport",
        "Create a report now, or return its latest version if nothing has changed",
        request=ReportRequest,
        example={"name": "revenue", "period": "day", "date": "2026-11-20"},
        returns=ReportResponse,
        status=201,
        description=(
            "Of a day, a month or another period, in your own time zone. If nothing has changed, the "
            "latest version is returned."
        ),
        refusals=(
            IntervalInvalid,
            IntervalNotBegun,
            UnknownOperatorReport,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, caller = parse_body(ReportRequest, request), self.caller
        zone = generation.find_report_operator(caller.operator).time_zone
        interval = parse_interval(body, zone=zone, now=timezone.now())
        report = generation.generate_report(
            operator=caller.operator, name=body.name, interval=interval, by=caller.actor
        )
        return Response(ReportResponse.of(report), status=201)


class ReportView(OperatorView):
    """One version of a report."""

    @operation(
        "getReport",
        "Show one version of a report",
        returns=ReportResponse,
        description=("The interval, the number of rows, and the hashes of the file. The rows are in the file."),
        refusals=(UnknownOperatorReport,),
    )
    def get(self, _request: Request, report: UUID) -> Response:
        return Response(ReportResponse.of(generation.find_report(operator=self.caller.operator, report=report)))


class ReportFileView(OperatorView):
    """One version of a report as a file."""

    @operation(
        "downloadReport",
        "Download one version of a report",
        parameters=[OpenApiParameter("format", str, enum=format_names(), description="`json` by default.")],
        responses={(200, media_type): kind for media_type, kind in _FILE_TYPES.items()},
        examples=[
            OpenApiExample("File", value, response_only=True, status_codes=["200"], media_type=media_type)
            for media_type, value in _FILES.items()
        ],
        description=("The bytes whose hash the report has, in the format you choose."),
        refusals=(
            UnknownFormat,
            UnknownOperatorReport,
        ),
    )
    def get(self, request: Request, report: UUID) -> HttpResponse:
        row = generation.find_report(operator=self.caller.operator, report=report)
        return file_response(render_report(row, request.query_params.get("format", "json")))


def parse_interval(body: ReportRequest, *, zone: str, now: datetime) -> Interval:
    """Return the interval that a ReportRequest describes. Raises IntervalInvalid."""
    match body.period, body.date, body.since, body.until:
        case ReportPeriod.LIFETIME, None, None, None:
            return lifetime_interval(until=now, zone=zone)
        case ReportPeriod.INTERVAL, None, datetime() as since, datetime() as until:
            return between(since=since, until=until, zone=zone)
        case (ReportPeriod.DAY | ReportPeriod.MONTH | ReportPeriod.YEAR) as period, date() as day, None, None:
            return period_interval(period, day=day, zone=zone)
    raise IntervalInvalid


def file_response(file: RenderedReport) -> HttpResponse:
    """Return a file to download."""
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"', "Cache-Control": "no-store"}
    return HttpResponse(file.content, content_type=file.media_type, headers=headers)
