"""What waits of significant events, for the admin's side bar."""

from typing import Any, Final

from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest

from casino.backoffice import scope
from casino.backoffice.badges import Waiting
from casino.significant.models import Unacknowledged

_EVERYONE: Final = "NOT EXISTS (SELECT FROM operators_operator WHERE id <> ALL (%s::uuid[]))"


def _within(rows: QuerySet[Any], request: HttpRequest) -> QuerySet[Any]:
    """What this person may acknowledge: what is of the house, too, for who works for all operators that there are."""
    allowed = scope.operators(request)
    if allowed is None:
        return rows
    everyone = RawSQL(_EVERYONE, [list(allowed)], output_field=BooleanField())  # noqa: S611  (a constant)
    return rows.filter(Q(operator_id__in=allowed) | Q(everyone, operator_id__isnull=True))


unacknowledged_badge: Final = Waiting("significant.view_significantevent", Unacknowledged.objects.all, _within)
"""Significant events that nobody has acknowledged."""
