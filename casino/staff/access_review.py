"""The access review: permissions of each user, since when, and the last login (GLI-19 2.8.9, B.2.3)."""

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Sum
from django.utils import timezone

from casino.staff import roles
from casino.staff.colleagues import colleagues_filter
from casino.staff.models import Authenticator, Member, SignIn

COLUMNS: Final = (
    "name", "user_id", "login", "roles", "functions", "operators", "status", "second_factor", "created", "last_access",
    "last_address", "password_changed", "disabled",
)  # fmt: skip
_RISKY: Final = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes that a spreadsheet would interpret as a formula."""


@dataclass(frozen=True, slots=True)
class AccessReviewRow:
    """What is reviewed of one user."""

    name: str
    user_id: int
    login: str
    roles: Sequence[str]
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
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    failed = AccessAttempt.objects.filter(username=OuterRef("username"), attempt_time__gte=since).order_by()
    failures = failed.values("username").annotate(total=Sum("failures_since_start")).values("total")
    found: QuerySet[Member] = (
        Member.objects.filter(colleagues_filter(operators))
        .select_related("account")
        .prefetch_related("groups", "memberships__operator")
        .annotate(
            last_access=Subquery(last.values("at")[:1]),
            last_address=Subquery(last.values("address")[:1]),
            enrolled=Exists(Authenticator.objects.filter(user_id=OuterRef("pk"), confirmed=True)),
            failures=Subquery(failures),
        )
    )
    return found


def review_members(members: Iterable[Any]) -> list[AccessReviewRow]:
    """Review these members, a query set of `members`."""
    return [_line(user) for user in members]


def _line(user: Any) -> AccessReviewRow:
    names = sorted(group.name for group in user.groups.all())
    held = roles.permissions_of(names)
    account = getattr(user, "account", None)
    return AccessReviewRow(
        name=user.get_full_name(),
        user_id=user.pk,
        login=user.username,
        roles=names,
        functions={name: sorted(held & roles.permissions_of([name])) for name in names},
        operators=sorted(membership.operator.slug for membership in user.memberships.all()),
        status=status(user),
        second_factor=user.enrolled,
        created=user.date_joined,
        last_access=user.last_access,
        last_address=user.last_address,
        password_changed=None if account is None else account.password_changed_at,
        disabled=None if account is None else account.disabled_at,
    )


def status(user: Any) -> str:
    """Return a user's status: disabled, locked, no staff, superuser or active."""
    if not user.is_active:
        return "disabled"
    if (user.failures or 0) >= settings.AXES_FAILURE_LIMIT:
        return "locked"
    if not user.is_staff:
        return "no staff"
    return "superuser" if user.is_superuser else "active"


def as_csv(reviewed: Iterable[AccessReviewRow]) -> Iterator[str]:
    """Write the review as CSV, line by line, with a header."""
    yield _row(COLUMNS)
    for line in reviewed:
        yield _row(format_row(line))


def format_row(line: AccessReviewRow) -> list[str]:
    """Format a row as text, one value for each of COLUMNS."""
    functions = "; ".join(f"{role}: {' '.join(held)}" for role, held in line.functions.items())
    every = "everything" if line.status == "superuser" else functions
    return [
        line.name, str(line.user_id), line.login, " ".join(line.roles), every, " ".join(line.operators), line.status,
        "yes" if line.second_factor else "no", _time(line.created), _time(line.last_access), line.last_address or "",
        _time(line.password_changed), _time(line.disabled),
    ]  # fmt: skip


def _time(when: datetime | None) -> str:
    return "" if when is None else when.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _row(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(f"'{cell}" if cell.startswith(_RISKY) else cell for cell in cells)
    return out.getvalue()
