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
from casino.api.error_catalogue import INVALID_CURSOR, Rejected
from casino.api.fields import read
from casino.api.idempotency import idempotent
from casino.kernel.money import text
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import at_desk
from casino.operators.principals import OperatorPrincipal
from wallet.adjustments import queries, services
from wallet.adjustments.queries import Adjustment, Asked
from wallet.api import adjustments_documents as documents
from wallet.api import adjustments_serializers as shapes
from wallet.api import csv_renderer
from wallet.api.serializers import Form

FORMS: Final = [JSONRenderer, csv_renderer.CsvRenderer]
LINES: Final = (
    "id", "requested_at", "requested_by", "player", "direction", "book", "amount", "currency", "reason", "status",
    "decided_by", "decided_at", "taken", "owed",
)  # fmt: skip
TOTALS: Final = ("reason", "direction", "book", "count", "amount", "owed", "currency")


class Adjustments(OperatorView):
    """Adjustments of the accounts of the caller's players."""

    renderer_classes = FORMS

    def get_renderers(self) -> list[BaseRenderer]:
        """Answer a POST in JSON alone."""
        return [JSONRenderer()] if getattr(self.request, "method", None) == "POST" else super().get_renderers()

    @documents.list_adjustments
    def get(self, request: Request) -> HttpResponseBase:
        given = _asked(request, shapes.AdjustmentsQuery)
        which = (given["player"], given["status"], given["reason"], given["from"], given["to"])
        asked = Asked(self.caller.operator, *which)
        asked.filters()
        if _form(request, given) is Form.CSV:
            return csv_renderer.download(request, _lines(asked), name="adjustments.csv")
        page = paging.asked(request, str)
        before = None if page.after is None else _id(page.after[0])
        found = queries.listed(asked, before=before, limit=page.fetch)
        said = queries.words([row.id for row in found])
        shown = paging.answer(
            page, found, key=lambda row: (str(row.id),), item=lambda row: shapes.shown_adjustment(row, said.get(row.id))
        )
        return _json(request, shown)

    @documents.request_adjustment
    @idempotent
    def post(self, request: Request) -> Response:
        given = read(shapes.AdjustmentRequest, request)
        by = at_desk(given.pop("actor"))
        made = services.request(operator=self.caller.operator, by=by, metadata=metadata(request), **given)
        return _shown(self.caller, made, status=201)


class OneAdjustment(OperatorView):
    """One adjustment."""

    @documents.get_adjustment
    def get(self, request: Request, adjustment: UUID) -> Response:
        del request
        return _shown(self.caller, adjustment, status=200)


class ApproveAdjustment(OperatorView):
    """Agreement to an adjustment."""

    @documents.approve_adjustment
    @idempotent
    def post(self, request: Request, adjustment: UUID) -> Response:
        given = read(shapes.ApprovalRequest, request)
        by = at_desk(given.pop("actor"))
        services.approve(adjustment, operator=self.caller.operator, by=by, metadata=metadata(request), **given)
        return _shown(self.caller, adjustment, status=200)


class RejectAdjustment(OperatorView):
    """Refusal of an adjustment."""

    @documents.reject_adjustment
    @idempotent
    def post(self, request: Request, adjustment: UUID) -> Response:
        given = read(shapes.RejectionRequest, request)
        by = at_desk(given.pop("actor"))
        services.reject(adjustment, operator=self.caller.operator, by=by, metadata=metadata(request), **given)
        return _shown(self.caller, adjustment, status=200)


class AdjustmentsReport(OperatorView):
    """What was approved, by reason."""

    renderer_classes = FORMS

    @documents.report_adjustments
    def get(self, request: Request) -> HttpResponseBase:
        given = _asked(request, shapes.TotalsQuery)
        period = {"since": given["from"], "until": given["to"]}
        totals = queries.by_reason(operator=self.caller.operator, book=given["book"], **period)
        if _form(request, given) is Form.JSON:
            return _json(request, {"items": [shapes.shown_total(total) for total in totals]})
        rows = [
            (each.reason, each.direction, each.book, each.count, text(each.amount, each.currency),
             text(each.owed, each.currency), each.currency)
            for each in totals
        ]  # fmt: skip
        return csv_renderer.download(
            request, iter([csv_renderer.written([TOTALS, *rows])]), name="adjustments-by-reason.csv"
        )


def _asked(request: Request, query: type[Serializer[Any]]) -> dict[str, Any]:
    sent = {name: value for name, value in request.query_params.items() if name not in {"cursor", "limit"}}
    reader = query(data=sent)
    reader.is_valid(raise_exception=True)
    found: dict[str, Any] = reader.validated_data
    return found


def _form(request: Request, given: dict[str, Any]) -> Form:
    return given["format"] or Form(getattr(request.accepted_renderer, "format", Form.JSON))


def _json(request: Request, answer: dict[str, Any]) -> Response:
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    return Response(answer)


def _shown(caller: OperatorPrincipal, adjustment: UUID, *, status: int) -> Response:
    found = queries.find(operator=caller.operator, adjustment=adjustment)
    return Response(shapes.shown_adjustment(found, queries.words([found.id]).get(found.id)), status=status)


def _lines(asked: Asked) -> Iterator[str]:
    yield csv_renderer.written([LINES])
    for some in queries.lines(asked):
        yield csv_renderer.written([_line(row) for row in some])


def _line(row: Adjustment) -> tuple[object, ...]:
    amounts = [text(minor, row.currency) for minor in (row.amount, row.taken, row.owed)]
    return (
        row.id, _moment(row.requested_at), row.requested_by, row.player_id, row.direction, row.book, amounts[0],
        row.currency, row.reason, row.status, row.decided_by or "", _moment(row.decided_at), *amounts[1:],
    )  # fmt: skip


def _moment(when: Any) -> str:
    return "" if when is None else when.isoformat().replace("+00:00", "Z")


def _id(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise Rejected(INVALID_CURSOR) from None
