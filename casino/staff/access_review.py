"""The access review: permissions of each user, since when, and the last login; and who can do what (GLI-19 2.8.9)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from axes.models import AccessAttempt
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone

from casino.api.sheets import ColumnType, Sheet
from casino.operators.memberships import colleagues_filter
from casino.operators.models import ApiKey
from casino.staff import assignments, duties, lockout
from casino.staff.duties import ANY_SCOPE, Act, Role
from casino.staff.models import Authenticator, Member, SignedIn, SignIn

COLUMNS: Final = (
    "name", "user_id", "login", "roles", "role_ends", "functions", "operators", "status", "second_factor", "created",
    "last_access", "last_address", "password_changed", "disabled",
)  # fmt: skip


DUTY_COLUMNS: Final = (
    "act", "what", "side", "persons", "one_more", "delayed", "event", "told", "holder", "name", "roles",
    "operators",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AccessReviewRow:
    name: str
    user_id: int
    login: str
    roles: Sequence[str]
    role_ends: Mapping[str, datetime]
    functions: Mapping[str, Sequence[str]]
    operators: Sequence[str]
    status: str
    second_factor: bool
    created: datetime
    last_access: datetime | None
    last_address: str | None
    password_changed: datetime | None
    disabled: datetime | None


def members(operators: Collection[UUID] | None) -> QuerySet[Member]:
    """Return the users that staff of these operators may review; None for all users."""
    last = SignIn.objects.filter(user_id=OuterRef("pk")).order_by("-id")
    locks = AccessAttempt.objects.filter(lockout.locks_in_force(), username=OuterRef("username"))
    queryset: QuerySet[Member] = (
        Member.objects.filter(colleagues_filter(operators))
        .select_related("account")
        .prefetch_related("groups__permissions__content_type", "memberships__operator", "role_ends__role")
        .annotate(
            last_access=Subquery(last.values("at")[:1]),
            last_address=Subquery(last.values("address")[:1]),
            enrolled=Exists(Authenticator.objects.filter(user_id=OuterRef("pk"), confirmed=True)),
            is_locked=Exists(locks),
        )
    )
    return queryset


def review_members(members: Iterable[Any]) -> list[AccessReviewRow]:
    """Review users from a queryset of `members`."""
    return [review(user) for user in members]


def review(user: Any) -> AccessReviewRow:
    """Review one user from a queryset of `members`."""
    ends = {end.role.name: end.ends_at for end in user.role_ends.all()}
    over = {name for name, ends_at in ends.items() if ends_at <= timezone.now()}
    by_role = {group.name: _stored_functions(group) for group in user.groups.all() if group.name not in over}
    names, functions = sorted(by_role), assignments.permitted(by_role)
    account = getattr(user, "account", None)
    return AccessReviewRow(
        name=user.get_full_name(),
        user_id=user.pk,
        login=user.username,
        roles=names,
        role_ends={name: ends_at for name, ends_at in sorted(ends.items()) if name not in over},
        functions={name: sorted(functions & assignments.permitted({name: by_role[name]})) for name in names},
        operators=sorted(membership.operator.slug for membership in user.memberships.all()),
        status=status(user),
        second_factor=user.enrolled,
        created=user.date_joined,
        last_access=user.last_access,
        last_address=user.last_address,
        password_changed=None if account is None else account.password_changed_at,
        disabled=None if account is None else account.disabled_at,
    )


def _stored_functions(group: Any) -> set[str]:
    """Return the functions of a role that is data; none for one that is built in."""
    if group.name in set(Role):
        return set()
    return {f"{each.content_type.app_label}.{each.codename}" for each in group.permissions.all()}


def status(user: Any) -> str:
    """Return a user's status: disabled, locked, no staff, superuser or active."""
    if not user.is_active:
        return "disabled"
    if user.is_locked:
        return "locked"
    if not user.is_staff:
        return "no staff"
    return "superuser" if user.is_superuser else "active"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who can do some acts: a member of staff by login, or an API key, which for many also needs a signed person."""

    holder: str
    name: str
    roles: Sequence[str]
    operators: Sequence[str]
    acts: Sequence[Act]


def holders(operators: Collection[UUID] | None) -> list[Holder]:
    """List who can do what for these operators, None for all: the members that may be reviewed, and live keys."""
    return [*_staff_holders(operators), *_key_holders(operators)]


def _staff_holders(operators: Collection[UUID] | None) -> Iterator[Holder]:
    for user in members(operators).filter(is_active=True, is_staff=True).order_by("username"):
        row = review(user)
        held = {function for functions in row.functions.values() for function in functions}
        root = SignedIn.objects.get(pk=user.pk) if user.is_superuser else None
        acts = [act for act in duties.acts() if act.name in held or (root is not None and root.has_perm(act.name))]
        roles = ["superuser", *row.roles] if user.is_superuser else row.roles
        yield Holder(row.login, row.name, roles, row.operators, acts)


def _key_holders(operators: Collection[UUID] | None) -> Iterator[Holder]:
    keys = ApiKey.objects.filter(revoked_at=None).exclude(expires_at__lte=timezone.now()).select_related("operator")
    for key in (keys if operators is None else keys.filter(operator_id__in=operators)).order_by("key_id"):
        acts = [act for act in duties.acts() if act.scope in {ANY_SCOPE, *key.scopes}]
        yield Holder(f"key:{key.key_id}", "", key.scopes, [key.operator.slug], acts)


def holders_sheet(holders: Sequence[Holder]) -> Sheet:
    """Return who can do what: a row for each act and holder, and one for an act that nobody holds."""
    return Sheet("Who can do what", dict.fromkeys(DUTY_COLUMNS, ColumnType.TEXT), _duty_rows(holders))


def _duty_rows(holders: Sequence[Holder]) -> Iterator[Sequence[str]]:
    for act in duties.acts():
        policy = (
            act.name, act.what, act.side, str(act.persons), act.one_more, "yes" if act.delayed else "no", act.event,
            act.tells,
        )  # fmt: skip
        held_by = [each for each in holders if act in each.acts]
        for each in held_by:
            yield (*policy, each.holder, each.name, " ".join(each.roles), " ".join(each.operators))
        if not held_by:
            yield (*policy, "", "", "", "")


def review_sheet(rows: Iterable[AccessReviewRow]) -> Sheet:
    """Return the review as a table of text."""
    return Sheet("Access review", dict.fromkeys(COLUMNS, ColumnType.TEXT), map(format_row, rows), keys=3)


def format_row(row: AccessReviewRow) -> list[str]:
    """Format a row as text, one value for each of COLUMNS."""
    functions = "; ".join(f"{role}: {' '.join(names)}" for role, names in row.functions.items())
    ends = "; ".join(f"{role}: {_time(ends_at)}" for role, ends_at in row.role_ends.items())
    functions_text = "everything" if row.status == "superuser" else functions
    return [
        row.name, str(row.user_id), row.login, " ".join(row.roles), ends, functions_text, " ".join(row.operators),
        row.status, "yes" if row.second_factor else "no", _time(row.created), _time(row.last_access),
        row.last_address or "", _time(row.password_changed), _time(row.disabled),
    ]  # fmt: skip


def _time(when: datetime | None) -> str:
    return "" if when is None else when.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
