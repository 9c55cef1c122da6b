"""Corrections by hand over HTTP: two people at an operator's desk, and what it comes to."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.kernel.money import format_amount
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import desk_actor
from casino.operators.principals import OperatorPrincipal
from wallet.adjustments import queries, services
from wallet.adjustments.queries import Adjustment, AdjustmentFilter
from wallet.api import adjustments_documents as documents
from wallet.api import adjustments_serializers as shapes
from wallet.api import csv_renderer
from wallet.api.serializers import StatementFormat

RENDERERS: Final = [JSONRenderer, csv_renderer.CsvRenderer]
LINE_COLUMNS: Final = (
    "id", "requested_at", "requested_by", "player", "direction", "money_type", "amount", "currency", "reason", "status",
    "decided_by", "decided_at", "taken", "owed",
)  # fmt: skip
TOTAL_COLUMNS: Final = ("reason", "direction", "money_type", "count", "amount", "owed", "currency")


class AdjustmentListView(OperatorView):
    """Adjustments of the accounts of the caller's players."""

    renderer_classes = RENDERERS

    def get_renderers(self) -> list[BaseRenderer]:
        """Answer a POST in JSON alone."""
        return [JSONRenderer()] if getattr(self.request, "method", None) == "POST" else super().get_renderers()

    @documents.list_adjustments
    def get(self, request: Request) -> HttpResponseBase:
        given = _asked(request, shapes.AdjustmentsQuery)
        which = (given["player"], given["status"], given["reason"], given["from"], given["to"])
        asked = AdjustmentFilter(self.caller.operator, *which)
        asked.filters()
        if _form(request, given) is StatementFormat.CSV:
            return csv_renderer.download(request, _lines(asked), name="adjustments.csv")
        page = paging.parse_page_request(request, str)
        before = None if page.after is None else _id(page.after[0])
        found = queries.list_adjustments(asked, before=before, limit=page.fetch_limit)
        said = queries.load_adjustment_texts([row.id for row in found])
        shown = paging.present_page(
            page, found, key=lambda row: (str(row.id),), item=lambda row: shapes.shown_adjustment(row, said.get(row.id))
        )
        return _json(request, shown)

    @documents.request_adjustment
    @idempotent
    def post(self, request: Request) -> Response:
        given = parse_body(shapes.AdjustmentRequest, request)
        by = desk_actor(given.pop("actor"))
        made = services.request(operator=self.caller.operator, by=by, metadata=metadata(request), **given)
        return _shown(self.caller, made, status=201)


class AdjustmentView(OperatorView):
    """One adjustment."""

    @documents.get_adjustment
    def get(self, request: Request, adjustment: UUID) -> Response:
        del request
        return _shown(self.caller, adjustment, status=200)


class ApproveAdjustmentView(OperatorView):
    """Agreement to an adjustment."""

    @documents.approve_adjustment
    @idempotent
    def post(self, request: Request, adjustment: UUID) -> Response:
        given = parse_body(shapes.ApprovalRequest, request)
        by = desk_actor(given.pop("actor"))
        services.approve(adjustment, operator=self.caller.operator, by=by, metadata=metadata(request), **given)
        return _shown(self.caller, adjustment, status=200)


class RejectAdjustmentView(OperatorView):
    """Refusal of an adjustment."""

    @documents.reject_adjustment
    @idempotent
    def post(self, request: Request, adjustment: UUID) -> Response:
        given = parse_body(shapes.RejectionRequest, request)
        by = desk_actor(given.pop("actor"))
        services.reject(adjustment, operator=self.caller.operator, by=by, metadata=metadata(request), **given)
        return _shown(self.caller, adjustment, status=200)


class AdjustmentTotalsView(OperatorView):
    """What was approved, by reason."""

    renderer_classes = RENDERERS

    @documents.report_adjustments
    def get(self, request: Request) -> HttpResponseBase:
        given = _asked(request, shapes.TotalsQuery)
        period = {"since": given["from"], "until": given["to"]}
        totals = queries.totals_by_reason(operator=self.caller.operator, money_type=given["money_type"], **period)
        if _form(request, given) is StatementFormat.JSON:
            return _json(request, {"items": [shapes.shown_total(total) for total in totals]})
        rows = [
            (each.reason, each.direction, each.money_type, each.count, format_amount(each.amount, each.currency),
             format_amount(each.owed, each.currency), each.currency)
            for each in totals
        ]  # fmt: skip
        return csv_renderer.download(
            request, iter([csv_renderer.format_csv([TOTAL_COLUMNS, *rows])]), name="adjustments-by-reason.csv"
        )


def _asked(request: Request, query: type[Serializer[Any]]) -> dict[str, Any]:
    sent = {name: value for name, value in request.query_params.items() if name not in {"cursor", "limit"}}
    reader = query(data=sent)
    reader.is_valid(raise_exception=True)
    found: dict[str, Any] = reader.validated_data
    return found


def _form(request: Request, given: dict[str, Any]) -> StatementFormat:
    return given["format"] or StatementFormat(getattr(request.accepted_renderer, "format", StatementFormat.JSON))


def _json(request: Request, answer: dict[str, Any]) -> Response:
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    return Response(answer)


def _shown(caller: OperatorPrincipal, adjustment: UUID, *, status: int) -> Response:
    found = queries.find(operator=caller.operator, adjustment=adjustment)
    return Response(
        shapes.shown_adjustment(found, queries.load_adjustment_texts([found.id]).get(found.id)), status=status
    )


def _lines(asked: AdjustmentFilter) -> Iterator[str]:
    yield csv_renderer.format_csv([LINE_COLUMNS])
    for some in queries.iterate_adjustments(asked):
        yield csv_renderer.format_csv([_line(row) for row in some])


def _line(row: Adjustment) -> tuple[object, ...]:
    amounts = [format_amount(minor, row.currency) for minor in (row.amount, row.taken, row.owed)]
    return (
        row.id, _moment(row.requested_at), row.requested_by, row.player_id, row.direction, row.money_type, amounts[0],
        row.currency, row.reason, row.status, row.decided_by or "", _moment(row.decided_at), *amounts[1:],
    )  # fmt: skip


def _moment(when: Any) -> str:
    return "" if when is None else when.isoformat().replace("+00:00", "Z")


def _id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
