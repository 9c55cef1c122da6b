"""The rows that a member of staff may see: those of the member's operators; for a superuser, all."""

from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from casino.backoffice.context import current_request
from casino.operators import memberships
from casino.operators.models import Operator

SPAN: Final = 100_000
"""Rows that a list reaches back to if its table has no index by operator; older ones are found by searching."""
MAX_OPERATORS: Final = 50
"""Operators that filters and selects offer."""


def operators(request: HttpRequest) -> Collection[UUID] | None:
    """Return the operators whose rows this person may see, None for all of them; read once for each request."""
    if not hasattr(request, "casino_operators"):
        request.casino_operators = memberships.operators_of(request.user)  # type: ignore[attr-defined]
    allowed: Collection[UUID] | None = request.casino_operators  # type: ignore[attr-defined]
    return allowed


def is_everyone(operators: Collection[UUID] | None) -> bool:
    """Return whether these are all existing operators: a member who works for all of them works for the house."""
    return operators is None or not Operator.objects.exclude(id__in=operators).exists()


def operator_slugs(request: HttpRequest) -> Mapping[str, str]:
    """Return the slugs of the operators that this person works for, by id as text; read once for each request."""
    if not hasattr(request, "casino_operator_slugs"):
        rows = within(Operator.objects.order_by("slug"), request, "id").values_list("id", "slug")[:MAX_OPERATORS]
        request.casino_operator_slugs = {str(key): slug for key, slug in rows}  # type: ignore[attr-defined]
    slugs: Mapping[str, str] = request.casino_operator_slugs  # type: ignore[attr-defined]
    return slugs


def slug(operator: UUID | None) -> str:
    """Return the slug of an operator that the reader works for, or its id; a dash for none."""
    request = current_request()
    if operator is None:
        return "\N{EN DASH}"
    return str(operator) if request is None else operator_slugs(request).get(str(operator), str(operator))


def within(rows: QuerySet[Any], request: HttpRequest, column: str = "operator_id") -> QuerySet[Any]:
    """Leave out rows of operators that this person does not work for."""
    allowed = operators(request)
    return rows if allowed is None else rows.filter(**{f"{column}__in": allowed})


def latest(model: type[Model], request: HttpRequest) -> Q:
    """Limit a list by serial ids to the last SPAN rows, for those who may not see all of them."""
    if operators(request) is None:
        return Q()
    last = model._default_manager.order_by("-pk").values_list("pk", flat=True).first() or 0  # noqa: SLF001  (Django's own name)
    return Q(pk__gt=last - SPAN)
