"""Whose rows a member of staff may look at: those of the operators worked for; a superuser's are all.

Who works for whom is told by the function that settings.ADMIN_OPERATORS_OF names, as operators stand above this part.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.module_loading import import_string

from casino.backoffice import context

SPAN: Final = 100_000
"""Rows that a list reaches back to when its table has no index by operator; older ones are found by searching."""


def operators(request: HttpRequest) -> Collection[UUID] | None:
    """Return the operators whose rows this person may see, None for every one; asked once per request."""
    if not hasattr(request, "casino_operators"):
        request.casino_operators = import_string(settings.ADMIN_OPERATORS_OF)(request.user)  # type: ignore[attr-defined]
    found: Collection[UUID] | None = request.casino_operators  # type: ignore[attr-defined]
    return found


def is_everyone(operators: Collection[UUID] | None) -> bool:
    """Tell whether these are all operators that there are: who works for all of them works for the house."""
    if operators is None:
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM operators_operator WHERE id <> ALL (%s::uuid[]))", [list(operators)])
        others: tuple[bool, ...] = cursor.fetchone()
    return not others[0]


def names(request: HttpRequest) -> Mapping[str, str]:
    """Return the names of the operators that this person works for, by id as text; asked once per request."""
    if not hasattr(request, "casino_operator_names"):
        asked = import_string(settings.ADMIN_OPERATOR_NAMES)(request)
        request.casino_operator_names = asked  # type: ignore[attr-defined]
    found: Mapping[str, str] = request.casino_operator_names  # type: ignore[attr-defined]
    return found


def slug(operator: UUID | None) -> str:
    """Return the short name of an operator that who looks works for, or its id; a dash for none."""
    request = context.asking()
    if operator is None:
        return "\N{EN DASH}"
    return str(operator) if request is None else names(request).get(str(operator), str(operator))


def within(rows: QuerySet[Any], request: HttpRequest, column: str = "operator_id") -> QuerySet[Any]:
    """Leave out rows of operators that this person does not work for."""
    allowed = operators(request)
    return rows if allowed is None else rows.filter(**{f"{column}__in": allowed})


def latest(model: type[Model], request: HttpRequest) -> Q:
    """Limit a list by serial ids to the last SPAN rows, for those who may not see all of them."""
    if operators(request) is None:
        return Q()
    manager = model._default_manager  # noqa: SLF001  (so Django calls what works for any model)
    last = manager.order_by("-pk").values_list("pk", flat=True).first() or 0
    return Q(pk__gt=last - SPAN)
