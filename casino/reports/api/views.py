"""Reports over HTTP, for an operator's desk: what there is, what was made, and files."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView
from casino.reports import generation, queries, registry
from casino.reports.api import documents
from casino.reports.api import serializers as shapes
from casino.reports.renderers import base


class OperatorReportKindListView(OperatorView):
    """What can be asked for."""

    @documents.list_kinds
    def get(self, request: Request) -> Response:
        del request
        kinds = [shapes.present_report_kind(each) for each in registry.report_definitions().values()]
        return Response({"items": kinds, "formats": base.format_names()})


class OperatorReportListView(OperatorView):
    """Versions of the caller's reports."""

    @documents.list_reports
    def get(self, request: Request) -> Response:
        sent = {name: value for name, value in request.query_params.items() if name not in {"cursor", "limit"}}
        query = shapes.OperatorReportsQuery(data=sent)
        query.is_valid(raise_exception=True)
        page = paging.parse_page_request(request, str)
        found = queries.list_reports(
            operator=self.caller.operator,
            name=query.validated_data["name"],
            before=_before(page),
            limit=page.fetch_limit,
        )
        return Response(paging.present_page(page, found, key=lambda each: (str(each.id),), item=shapes.present_report))

    @documents.generate_report
    @idempotent
    def post(self, request: Request) -> Response:
        """Have one made."""
        given = parse_body(shapes.OperatorReportRequest, request)
        caller = self.caller
        zone = generation.load_report_operator(caller.operator).zone
        interval = shapes.parse_interval(given, zone=zone, now=timezone.now())
        made = generation.generate_report(
            operator=caller.operator, name=given["name"], interval=interval, by=caller.actor
        )
        return Response(shapes.present_report(made), status=201)


class OperatorReportView(OperatorView):
    """One version of a report."""

    @documents.get_report
    def get(self, request: Request, report: UUID) -> Response:
        del request
        return Response(shapes.present_report(queries.find(operator=self.caller.operator, report=report)))


class OperatorReportFileView(OperatorView):
    """One version of a report as a file."""

    @documents.download_report
    def get(self, request: Request, report: UUID) -> HttpResponse:
        found = queries.find(operator=self.caller.operator, report=report)
        return file_response(base.render_report(found, request.query_params.get("format", "json")))


def file_response(file: base.RenderedReport) -> HttpResponse:
    headers: dict[str, Any] = {
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(file.content, content_type=file.media_type, headers=headers)


def _before(page: paging.PageRequest) -> UUID | None:
    if page.after is None:
        return None
    try:
        return UUID(page.after[0])
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
