"""Which roles members of staff hold now, until when, and the roles that the house has made of functions."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat, Now

from casino.staff import roles
from casino.staff.acts import MAKE_SUPERUSER
from casino.staff.duties import DutySide, Role
from casino.staff.models import RoleEnd

_FUNCTION: Final = Concat("permissions__content_type__app_label", Value("."), "permissions__codename")


def held_groups(user: int) -> QuerySet[Group]:
    """Return the roles that a user holds now: those that have ended are none."""
    ended = RoleEnd.objects.filter(user_id=user, role_id=OuterRef("pk"), ends_at__lte=Now())
    return Group.objects.filter(~Exists(ended), user=user)


def functions_of(user: int) -> frozenset[str]:
    """Return what a user's roles permit now, as `app.codename`."""
    return permitted(functions_by_role(held_groups(user)))


def permitted(by_role: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Return what roles permit together, given the functions of those that are data."""
    return roles.permissions_of(by_role, {function for functions in by_role.values() for function in functions})


def functions_by_role(groups: QuerySet[Group]) -> dict[str, set[str]]:
    """Return the stored functions of each role, none for those that are built in, in one query."""
    functions: defaultdict[str, set[str]] = defaultdict(set)
    built_in = list(Role)
    for name, function in groups.annotate(function=_FUNCTION).values_list("name", "function"):
        functions[name].update([function] if function != "." and name not in built_in else ())
    return dict(functions)


def conflicts_of(names: Iterable[str], *, is_superuser: bool = False) -> Mapping[DutySide, Sequence[str]]:
    """Return the functions of each side that roles of these names together would join, although nobody may.

    The flag of a superuser is of the side that administers.
    """
    by_role = functions_by_role(Group.objects.filter(name__in=list(names)))
    flag = {MAKE_SUPERUSER.name} if is_superuser else set()
    return roles.conflicting_role_permissions(by_role, flag.union(*by_role.values()))


def assign(user: User, *, names: Collection[str], until: datetime | None) -> None:
    """Let a user hold these roles, until a time or for good."""
    groups = list(Group.objects.filter(name__in=names))
    user.groups.add(*groups)
    RoleEnd.objects.filter(user=user, role__in=groups).delete()
    if until is not None:
        RoleEnd.objects.bulk_create(RoleEnd(user=user, role=group, ends_at=until) for group in groups)


def remove_ended() -> list[tuple[User, list[str]]]:
    """Take away the roles that have ended, which grant nothing any more; return them by user."""
    with transaction.atomic():
        ended = list(
            RoleEnd.objects.select_for_update(of=("self",), skip_locked=True)
            .filter(ends_at__lte=Now())
            .select_related("user", "role")
            .order_by("user_id", "role__name")
        )
        names: defaultdict[User, list[str]] = defaultdict(list)
        for end in ended:
            names[end.user].append(end.role.name)
            end.user.groups.remove(end.role)
        RoleEnd.objects.filter(pk__in=[end.pk for end in ended]).delete()
    return list(names.items())


def ends_of(user: Any) -> dict[str, datetime]:
    """Return when a user's roles end, by name, for those that do."""
    return dict(RoleEnd.objects.filter(user_id=user.pk).values_list("role__name", "ends_at"))


def own_roles() -> QuerySet[Group]:
    """Return the roles that the house has made."""
    return Group.objects.exclude(name__in=list(Role)).filter(permissions__isnull=False).distinct()


def define(name: str, functions: Collection[str]) -> None:
    """Make a role of these functions, or give one other functions."""
    group, _ = Group.objects.get_or_create(name=name)
    wanted = Q(pk__in=[])
    for function in functions:
        app, _, codename = function.partition(".")
        wanted |= Q(content_type__app_label=app, codename=codename)
    group.permissions.set(Permission.objects.filter(wanted))
