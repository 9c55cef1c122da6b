"""Reconciliation over HTTP, for an operator's desk: days, differences, who looks into one and what became of it."""

from datetime import date
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.error_catalogue import INVALID_CURSOR, Rejected
from casino.api.fields import read
from casino.api.idempotency import idempotent
from casino.operators.base_views import OperatorView, metadata
from casino.operators.memberships import at_desk
from casino.operators.principals import OperatorPrincipal
from wallet.api import reconciliation_documents as documents
from wallet.api import reconciliation_serializers as shapes
from wallet.reconciliation import queries, services
from wallet.reconciliation.queries import Difference, Reconciliation, Which


class Reconciliations(OperatorView):
    """Days that were compared."""

    @documents.list_runs
    def get(self, request: Request) -> Response:
        page = paging.asked(request, str, str)
        found = queries.runs(operator=self.caller.operator, before=_before(page), limit=page.fetch)
        return Response(paging.answer(page, found, key=_key, item=shapes.shown_run))


class Differences(OperatorView):
    """Payments about which the sides differ."""

    @documents.list_differences
    def get(self, request: Request) -> Response:
        sent = {name: value for name, value in request.query_params.items() if name not in {"cursor", "limit"}}
        query = shapes.DifferencesQuery(data=sent)
        query.is_valid(raise_exception=True)
        page = paging.asked(request, str, str)
        which = Which(self.caller.operator, **query.validated_data)
        found = queries.differences(which, before=_before(page), limit=page.fetch)
        said = queries.notes([each.id for each in found])
        shown = paging.answer(page, found, key=_key, item=lambda each: shapes.shown_difference(each, said[each.id]))
        return Response(shown)


class OneDifference(OperatorView):
    """One difference."""

    @documents.get_difference
    def get(self, request: Request, difference: UUID) -> Response:
        del request
        return _shown(self.caller, difference)


class AssignDifference(OperatorView):
    """A difference's owner."""

    @documents.assign_difference
    @idempotent
    def post(self, request: Request, difference: UUID) -> Response:
        given = read(shapes.AssignmentRequest, request)
        who: dict[str, Any] = {"owner": at_desk(given["owner"]), "by": at_desk(given["actor"]), "note": given["note"]}
        services.assign(difference, operator=self.caller.operator, metadata=metadata(request), **who)
        return _shown(self.caller, difference)


class ResolveDifference(OperatorView):
    """What became of a difference."""

    @documents.resolve_difference
    @idempotent
    def post(self, request: Request, difference: UUID) -> Response:
        given = read(shapes.ResolutionRequest, request)
        said: dict[str, Any] = {"resolution": given["resolution"], "note": given["note"], "by": at_desk(given["actor"])}
        services.resolve(difference, operator=self.caller.operator, metadata=metadata(request), **said)
        return _shown(self.caller, difference)


def _shown(caller: OperatorPrincipal, difference: UUID) -> Response:
    found = queries.find(operator=caller.operator, difference=difference)
    return Response(shapes.shown_difference(found, queries.notes([found.id])[found.id]))


def _key(row: Reconciliation | Difference) -> tuple[str, str]:
    return row.day.isoformat(), str(row.id)


def _before(page: paging.Page) -> tuple[date, UUID] | None:
    if page.after is None:
        return None
    day, key = page.after
    try:
        return date.fromisoformat(day), UUID(key)
    except ValueError:
        raise Rejected(INVALID_CURSOR) from None
