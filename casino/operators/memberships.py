"""Which operators a member of staff works for, and how events name one."""

from typing import Any
from uuid import UUID

from casino.operators.models import StaffMembership


def operators_of(user: Any) -> list[UUID] | None:
    """List the operators that a user works for, None for a superuser, who works for every one."""
    if user.is_superuser:
        return None
    return list(StaffMembership.objects.filter(user_id=user.pk).values_list("operator_id", flat=True))


def staff_actor(user: Any) -> str:
    """Return how events name a member of staff: by number, as a name would be personal."""
    return f"staff:{user.pk}"


def desk_actor(person: str) -> str:
    """Return how events name a person at an operator's own desk, by the operator's id of that person."""
    return f"desk:{person}"
