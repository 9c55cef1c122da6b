"""Reports over HTTP, for an operator's desk: what there is, what was made, and files."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, Rejected
from casino.api.fields import read
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView
from casino.reports import generation, queries, registry
from casino.reports.api import documents
from casino.reports.api import serializers as shapes
from casino.reports.renderers import base


class ReportKinds(OperatorView):
    """What can be asked for."""

    @documents.list_kinds
    def get(self, request: Request) -> Response:
        del request
        kinds = [shapes.shown_kind(each) for each in registry.definitions().values()]
        return Response({"items": kinds, "formats": base.names()})


class Reports(OperatorView):
    """Versions of the caller's reports."""

    @documents.list_reports
    def get(self, request: Request) -> Response:
        sent = {name: value for name, value in request.query_params.items() if name not in {"cursor", "limit"}}
        query = shapes.ReportsQuery(data=sent)
        query.is_valid(raise_exception=True)
        page = paging.asked(request, str)
        found = queries.listed(
            operator=self.caller.operator, name=query.validated_data["name"], before=_before(page), limit=page.fetch
        )
        return Response(paging.answer(page, found, key=lambda each: (str(each.id),), item=shapes.shown_report))

    @documents.make_report
    @idempotent
    def post(self, request: Request) -> Response:
        """Have one made."""
        given = read(shapes.HouseReportRequest, request)
        caller = self.caller
        zone = generation.whose(caller.operator).zone
        interval = shapes.interval_of(given, zone=zone, now=timezone.now())
        made = generation.make(operator=caller.operator, name=given["name"], interval=interval, by=caller.actor)
        return Response(shapes.shown_report(made), status=201)


class OneReport(OperatorView):
    """One version of a report."""

    @documents.get_report
    def get(self, request: Request, report: UUID) -> Response:
        del request
        return Response(shapes.shown_report(queries.find(operator=self.caller.operator, report=report)))


class ReportFile(OperatorView):
    """One version of a report as a file."""

    @documents.download_report
    def get(self, request: Request, report: UUID) -> HttpResponse:
        found = queries.find(operator=self.caller.operator, report=report)
        return download(base.file_of(found, request.query_params.get("format", "json")))


def download(file: base.File) -> HttpResponse:
    headers: dict[str, Any] = {
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(file.content, content_type=file.media_type, headers=headers)


def _before(page: paging.Page) -> UUID | None:
    if page.after is None:
        return None
    try:
        return UUID(page.after[0])
    except ValueError:
        raise Rejected(INVALID_CURSOR) from None
