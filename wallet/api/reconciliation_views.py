"""Reconciliation over HTTP, for an operator's desk: days, differences, who looks into one and what became of it."""

from datetime import date
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, RequestRejected
from casino.api.fields import parse_body
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import desk_actor
from casino.operators.principals import OperatorPrincipal
from wallet.api import reconciliation_documents as documents
from wallet.api import reconciliation_serializers as shapes
from wallet.reconciliation import queries, services
from wallet.reconciliation.queries import Discrepancy, DiscrepancyFilter, Reconciliation


class ReconciliationListView(OperatorView):
    """Days that were compared."""

    @documents.list_runs
    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, str, str)
        found = queries.runs(operator=self.caller.operator, before=_before(page), limit=page.fetch_limit)
        return Response(paging.present_page(page, found, key=_key, item=shapes.shown_run))


class DiscrepancyListView(OperatorView):
    """Payments about which the sides differ."""

    @documents.list_differences
    def get(self, request: Request) -> Response:
        sent = {name: value for name, value in request.query_params.items() if name not in {"cursor", "limit"}}
        query = shapes.DifferencesQuery(data=sent)
        query.is_valid(raise_exception=True)
        page = paging.parse_page_request(request, str, str)
        which = DiscrepancyFilter(self.caller.operator, **query.validated_data)
        found = queries.discrepancies(which, before=_before(page), limit=page.fetch_limit)
        said = queries.notes([each.id for each in found])
        shown = paging.present_page(
            page, found, key=_key, item=lambda each: shapes.shown_difference(each, said[each.id])
        )
        return Response(shown)


class DiscrepancyView(OperatorView):
    """One difference."""

    @documents.get_difference
    def get(self, request: Request, difference: UUID) -> Response:
        del request
        return _shown(self.caller, difference)


class AssignDiscrepancyView(OperatorView):
    """A difference's owner."""

    @documents.assign_difference
    @idempotent
    def post(self, request: Request, difference: UUID) -> Response:
        given = parse_body(shapes.AssignmentRequest, request)
        who: dict[str, Any] = {
            "owner": desk_actor(given["owner"]),
            "by": desk_actor(given["actor"]),
            "note": given["note"],
        }
        services.assign(difference, operator=self.caller.operator, metadata=metadata(request), **who)
        return _shown(self.caller, difference)


class ResolveDiscrepancyView(OperatorView):
    """What became of a difference."""

    @documents.resolve_difference
    @idempotent
    def post(self, request: Request, difference: UUID) -> Response:
        given = parse_body(shapes.ResolutionRequest, request)
        said: dict[str, Any] = {
            "resolution": given["resolution"],
            "note": given["note"],
            "by": desk_actor(given["actor"]),
        }
        services.resolve(difference, operator=self.caller.operator, metadata=metadata(request), **said)
        return _shown(self.caller, difference)


def _shown(caller: OperatorPrincipal, difference: UUID) -> Response:
    found = queries.find(operator=caller.operator, discrepancy=difference)
    return Response(shapes.shown_difference(found, queries.notes([found.id])[found.id]))


def _key(row: Reconciliation | Discrepancy) -> tuple[str, str]:
    return row.day.isoformat(), str(row.id)


def _before(page: paging.PageRequest) -> tuple[date, UUID] | None:
    if page.after is None:
        return None
    day, key = page.after
    try:
        return date.fromisoformat(day), UUID(key)
    except ValueError:
        raise RequestRejected(INVALID_CURSOR) from None
