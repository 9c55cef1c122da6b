"""The operators that members of staff work for, the colleagues they may see, and the names of staff in events."""

import getpass
from collections.abc import Collection
from ipaddress import ip_address, ip_network
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q

from casino.kernel.persons import SHELL
from casino.operators.models import Operator, StaffMembership


def operators_of(user: Any) -> list[UUID] | None:
    """List the operators that a user works for; None for a superuser, who works for all."""
    if user.is_superuser:
        return None
    return list(StaffMembership.objects.filter(user_id=user.pk).values_list("operator_id", flat=True))


def works_for_all(user_id: int) -> bool:
    """Return whether a user works for every operator, and so for the platform; a superuser does."""
    if User.objects.filter(pk=user_id, is_superuser=True).exists():
        return True
    own = StaffMembership.objects.filter(user_id=user_id)
    return own.exists() and not Operator.objects.exclude(pk__in=own.values("operator_id")).exists()


def has_live_operators() -> bool:
    """Return whether anybody plays for real money at this installation."""
    return Operator.objects.filter(sandbox=False).exists()


def sole_operator(user_id: int) -> UUID | None:
    """Return the operator that a user works for, or None for none or several."""
    operators = list(StaffMembership.objects.filter(user_id=user_id).values_list("operator_id", flat=True)[:2])
    return operators[0] if len(operators) == 1 else None


def colleagues_filter(operators: Collection[UUID] | None, column: str = "pk") -> Q:
    """Filter a column of user ids by members who work for these operators alone; None matches everybody.

    Only superusers see superusers and members who also work elsewhere.
    """
    if operators is None:
        return Q()
    inside = StaffMembership.objects.filter(operator_id__in=operators, user__is_superuser=False).values("user_id")
    outside = StaffMembership.objects.exclude(operator_id__in=operators).values("user_id")
    return Q(**{f"{column}__in": inside}) & ~Q(**{f"{column}__in": outside})


def may_sign_in_from(user_id: int, address: str | None) -> bool:
    """Return whether every operator that a user works for lets its staff sign in from an address."""
    limited = StaffMembership.objects.filter(user_id=user_id).exclude(operator__staff_networks=[])
    return all(
        address is not None and any(ip_address(address) in ip_network(network) for network in networks)
        for networks in limited.values_list("operator__staff_networks", flat=True)
    )


def staff_actor(user: Any) -> str:
    """Return a member of staff's name in events: the user's number, because a login is personal data."""
    return f"staff:{user.pk}"


def shell_actor() -> str:
    """Return the name in events of whoever runs a command: the operating system's user."""
    return f"{SHELL}:{getpass.getuser()}"


def desk_actor(person: str) -> str:
    """Return the name in events of a person on an operator's own staff, by the operator's id of that person."""
    return f"desk:{person}"
