"""Which operators' payments a member of staff may see: all for superusers, else those that their groups name."""

from typing import Any, Final
from uuid import UUID

from casino.operators.models import Operator

PREFIX: Final = "operator:"
"""A group called `operator:lucky` lets its members see the payments of the operator `lucky`."""


def operators_of(user: Any) -> list[UUID] | None:
    """This will list the operators whose payments a user may see, None for every one."""
    if user.is_superuser:
        return None
    names = user.groups.filter(name__startswith=PREFIX).values_list("name", flat=True)
    slugs = [name.removeprefix(PREFIX) for name in names]
    return list(Operator.objects.filter(slug__in=slugs).values_list("id", flat=True))


def actor(user: Any) -> str:
    """This will return how events name a member of staff: by number, as a name would be personal."""
    return f"staff:{user.pk}"
