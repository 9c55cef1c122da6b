"""The members of staff that a user may see: those who work for the same operators and for no others."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from casino.operators.models import StaffMembership


def colleagues_filter(operators: Collection[UUID] | None, column: str = "pk") -> Q:
    """Filter a column of user ids by members who work for these operators alone; None matches everybody.

    Only superusers see superusers and members who also work elsewhere.
    """
    if operators is None:
        return Q()
    inside = StaffMembership.objects.filter(operator_id__in=operators, user__is_superuser=False).values("user_id")
    outside = StaffMembership.objects.exclude(operator_id__in=operators).values("user_id")
    return Q(**{f"{column}__in": inside}) & ~Q(**{f"{column}__in": outside})
