"""The operators that a member of staff works for, and the names of staff in events."""

from typing import Any
from uuid import UUID

from casino.operators.models import StaffMembership


def operators_of(user: Any) -> list[UUID] | None:
    """List the operators that a user works for; None for a superuser, who works for all."""
    if user.is_superuser:
        return None
    return list(StaffMembership.objects.filter(user_id=user.pk).values_list("operator_id", flat=True))


def staff_actor(user: Any) -> str:
    """Return a member of staff's name in events: the user's number, because a login is personal data."""
    return f"staff:{user.pk}"


def desk_actor(person: str) -> str:
    """Return the name in events of a person on an operator's own staff, by the operator's id of that person."""
    return f"desk:{person}"
