"""Changes of a user's access by another user, each recorded.

What could let one administrator act as somebody else (a password, a reset of the authenticator, an e-mail address, a
role, what a role may do, another operator, a disabled user who comes back, the link to an operator's person) is a
change that another administrator confirms, and of which the user is told by e-mail and at the next login. Neither
administrator learns the password.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from casino.kernel.persons import normalise_subject
from casino.operators import changes, notices
from casino.operators.change import ChangeStatus
from casino.operators.changes import ChangeKind
from casino.operators.memberships import operators_of, sole_operator, staff_actor
from casino.operators.models import Change, ChangeName, Operator, StaffMembership, StaffSubject
from casino.operators.refusals import UnknownOperator
from casino.significant import act_log, recorder
from casino.staff import acts, assignments, authenticators, duties, lockout, password_codes, people, roles
from casino.staff.duties import DutySide, Role
from casino.staff.refusals import EmailTaken, InvalidLink, InvalidRole, OwnAccessChange, ReasonMissing, RolesApart

MIN_REASON_LENGTH, MAX_REASON_LENGTH = 3, 500
SUBJECT: Final = "staff"
AUTHENTICATOR: Final = ChangeName.STAFF_AUTHENTICATOR
EMAIL: Final = ChangeName.STAFF_EMAIL
LINK: Final = ChangeName.STAFF_LINK
OPERATORS: Final = ChangeName.STAFF_OPERATORS
PASSWORD: Final = ChangeName.STAFF_PASSWORD
RETURN: Final = ChangeName.STAFF_RETURN
ROLE: Final = ChangeName.STAFF_ROLE
ROLES: Final = ChangeName.STAFF_ROLES
SUPERUSER: Final = ChangeName.STAFF_SUPERUSER
TOLD_FOR_DAYS: Final = 14
_ROLE_NAME: Final = re.compile(r"[a-z][a-z0-9_]{1,39}")


def unlock(user: User, *, by: User, reason: str) -> None:
    """Unlock a user after failed logins. Raises ReasonMissing, OwnAccessChange."""
    with transaction.atomic():
        before = lockout.is_locked(user.username)
        _check_change(user, by=by, reason=reason)
        lockout.unlock(user.username)
        record_access_change(
            user, act="staff.unlock_user", by=by, reason=reason, before={"locked": before}, after={"locked": False}
        )


def request_reset(user: User, *, by: User, reason: str) -> Change:
    """Request that a user's authenticator and recovery codes are deleted. Raises ReasonMissing, OwnAccessChange."""
    _check_change(user, by=by, reason=reason)
    return _request(user, AUTHENTICATOR, f"Reset the authenticator of {user.username}: {reason.strip()}", {}, by)


def request_password(user: User, *, by: User, reason: str) -> Change:
    """Request that a user may set a password, by a code in two halves. Raises ReasonMissing, OwnAccessChange."""
    _check_change(user, by=by, reason=reason)
    return _request(user, PASSWORD, f"Let {user.username} set a password: {reason.strip()}", {}, by)


def request_email(user: User, *, email: str, by: User) -> Change:
    """Request another e-mail address for a user. Raises OwnAccessChange, EmailTaken."""
    _refuse_own(user, by)
    summary = f"Change the e-mail address of {user.username} from {user.email or 'none'} to {email or 'none'}"
    return _request(user, EMAIL, summary, {"email": email}, by)


def request_return(user: User, *, by: User) -> Change:
    """Request that a disabled user may log in again. Raises OwnAccessChange."""
    _refuse_own(user, by)
    return _request(user, RETURN, f"Let {_describe(user)} log in again", {}, by)


def end_requests(user: User, *, by: User) -> None:
    """Cancel what a user who was disabled has requested, and nobody has confirmed."""
    waiting = Change.objects.filter(requested_by=staff_actor(user), status=ChangeStatus.REQUESTED)
    for change in waiting.order_by("id").values_list("pk", flat=True):
        changes.cancel(change, by=staff_actor(by))


def request_roles(user: User, *, names: Iterable[str], until: datetime | None = None, by: User) -> Change:
    """Request roles for a user, beside those that the user has, until a time or for good.

    Raises OwnAccessChange, RolesApart.
    """
    _refuse_own(user, by)
    wanted = sorted(names)
    end = "" if until is None else f" until {until.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    details = {"roles": wanted, "until": None if until is None else until.isoformat()}
    return _request(user, ROLES, f"Give {_describe(user)} the roles {', '.join(wanted)}{end}", details, by)


@transaction.atomic
def set_operators(user: User, *, operators: Collection[UUID], by: User) -> Change | None:
    """Let a user work for these of the operators that `by` works for: for fewer at once, for more by a change.

    Raises OwnAccessChange, UnknownOperator, TooFewAdministrators.
    """
    _refuse_own(user, by)
    own = operators_of(by)
    if own is not None and not set(operators) <= set(own):
        raise UnknownOperator
    held = user.memberships.select_for_update().exclude(operator__in=operators)
    removed = held if own is None else held.filter(operator__in=own)
    if gone := list(removed.values_list("operator_id", flat=True)):
        people.require_administrators(user, of=gone)
        before = access_snapshot(user)
        removed.delete()
        after, act = access_snapshot(user), acts.ASSIGN_OPERATOR.name
        record_access_change(user, act=act, by=by, reason="", before=before, after=after, tightens=True)
    rows = Operator.objects.filter(pk__in=operators).exclude(staff__user=user).order_by("slug")
    if not rows:
        return None
    summary = f"Let {_describe(user)} work for {', '.join(row.slug for row in rows)}"
    return _request(user, OPERATORS, summary, {"operators": [str(row.pk) for row in rows]}, by)


def request_role(name: str, *, functions: Collection[str], by: User) -> Change:
    """Request a role of these functions, or other functions for one of that name. Raises InvalidRole, RolesApart."""
    if not _ROLE_NAME.fullmatch(name) or name in set(Role):
        raise InvalidRole
    if not functions or not roles.grantable().issuperset(functions):
        raise InvalidRole
    _refuse_sides(duties.apart(functions))
    wanted = sorted(functions)
    return changes.request(
        operator=None,
        kind=ROLE,
        subject=f"role:{name}",
        summary=f"Let the role {name} do: {', '.join(wanted)}",
        details={"functions": wanted},
        by=staff_actor(by),
    )


def end_roles() -> None:
    """Take away the roles whose time is over, which grant nothing any more, and record that."""
    with transaction.atomic():
        for user, names in assignments.remove_ended():
            act_log.done(
                "auth.change_user",
                kind=recorder.SignificantEventKind.ACCESS_CHANGED,
                operator=sole_operator(user.pk),
                subject=staff_actor(user),
                actor="system",
                reason="The time of the role is over",
                before={"roles": names},
                after={"roles": []},
            )


def request_superuser(user: User, *, by: User) -> Change:
    """Request that a user becomes a superuser. Raises OwnAccessChange, RolesApart."""
    _refuse_own(user, by)
    return _request(user, SUPERUSER, f"Make {_describe(user)} a superuser", {}, by)


def request_link(user: User, *, operator: UUID, subject: str, by: User) -> Change:
    """Request that a user and a person of an operator's assertions are one. Raises OwnAccessChange, InvalidLink."""
    spelling = normalise_subject(subject)
    if spelling is None:
        raise InvalidLink
    _refuse_own(user, by)
    details = {"operator": str(operator), "subject": spelling}
    return _request(user, LINK, f"Link {user.username} to the person {spelling} of assertions", details, by)


def recent_changes(user: User) -> list[Change]:
    """List the changes of a user's access that took effect lately, of which the user is told."""
    since = timezone.now() - timedelta(days=TOLD_FOR_DAYS)
    told = Change.objects.filter(subject=staff_actor(user), status=ChangeStatus.EFFECTIVE, effective_at__gte=since)
    return list(told.order_by("effective_at"))


def register() -> None:
    """Register what two administrators may change."""
    for name, act, apply in (
        (AUTHENTICATOR, acts.RESET, _apply_reset),
        (PASSWORD, acts.RESET, _apply_password),
        (EMAIL, acts.RESET, _apply_email),
        (RETURN, acts.RESET, _apply_return),
        (ROLE, acts.DEFINE_ROLE, _apply_role),
        (ROLES, acts.ASSIGN_ROLE, _apply_roles),
        (OPERATORS, acts.ASSIGN_OPERATOR, _apply_operators),
        (SUPERUSER, acts.MAKE_SUPERUSER, _apply_superuser),
        (LINK, acts.ASSIGN_ROLE, _apply_link),
    ):
        changes.register(ChangeKind(name, act, apply))


def _request(user: User, kind: ChangeName, summary: str, details: Mapping[str, Any], by: User) -> Change:
    return changes.request(
        operator=sole_operator(user.pk),
        kind=kind,
        subject=staff_actor(user),
        summary=summary,
        details=details,
        by=staff_actor(by),
    )


def _user(change: Change) -> User:
    return User.objects.select_for_update().get(pk=int(change.subject.removeprefix(f"{SUBJECT}:")))


def _apply_reset(change: Change) -> None:
    authenticators.forget(_user(change))


def _apply_password(change: Change) -> None:
    password_codes.begin(_user(change), change.pk)


def _apply_email(change: Change) -> None:
    user = _user(change)
    if people.is_taken(change.details["email"], but=user.pk):
        raise EmailTaken
    if user.email != change.details["email"]:  # the address that goes is told as well
        notices.tell_address(user.email, subject="Your e-mail address was changed", text=change.summary)
    user.email = change.details["email"]
    user.save(update_fields=["email"])


def _apply_return(change: Change) -> None:
    user = _user(change)
    user.is_active = True
    user.save(update_fields=["is_active"])


def _apply_roles(change: Change) -> None:
    user = _user(change)
    held = {*user.groups.values_list("name", flat=True), *change.details["roles"]}
    _refuse_sides(assignments.conflicts_of(held, is_superuser=user.is_superuser))
    until = change.details.get("until")
    ends_at = None if until is None else datetime.fromisoformat(until)
    assignments.assign(user, names=change.details["roles"], until=ends_at)


def _apply_operators(change: Change) -> None:
    user = _user(change)
    StaffMembership.objects.bulk_create(
        (StaffMembership(user=user, operator_id=operator) for operator in change.details["operators"]),
        ignore_conflicts=True,
    )


def _apply_role(change: Change) -> None:
    assignments.define(change.subject.removeprefix("role:"), change.details["functions"])


def _refuse_sides(by_side: Mapping[DutySide, Sequence[str]]) -> None:
    if by_side:
        raise RolesApart(duties.describe(by_side))


def _apply_superuser(change: Change) -> None:
    user = _user(change)
    _refuse_sides(assignments.conflicts_of(user.groups.values_list("name", flat=True), is_superuser=True))
    user.is_superuser = True
    user.save(update_fields=["is_superuser"])


def _apply_link(change: Change) -> None:
    try:
        with transaction.atomic():
            StaffSubject.objects.create(
                user=_user(change), operator_id=change.details["operator"], subject=change.details["subject"]
            )
    except IntegrityError:
        raise InvalidLink("The user or the person is linked already.") from None


def access_snapshot(user: User) -> dict[str, Any]:
    """Return what a user may do, as the database has it; empty for a user not saved yet."""
    stored = User.objects.filter(pk=user.pk).first()
    if stored is None:
        return {}
    return {
        "roles": sorted(stored.groups.values_list("name", flat=True)),
        "role_ends": {name: at.isoformat() for name, at in sorted(assignments.ends_of(stored).items())},
        "operators": sorted(str(operator) for operator in stored.memberships.values_list("operator_id", flat=True)),
        "active": stored.is_active,
        "staff": stored.is_staff,
        "superuser": stored.is_superuser,
    }


def record_access_change(
    user: User,
    *,
    by: Any,
    reason: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    act: str = "",
    tightens: bool = False,
) -> None:
    """Record a change of a user's access; do nothing if there is none."""
    if before == after:
        return
    act_log.done(
        act or ("auth.change_user" if before else "auth.add_user"),
        kind=recorder.SignificantEventKind.ACCESS_CHANGED,
        operator=sole_operator(user.pk),
        subject=f"{SUBJECT}:{user.pk}",
        actor=staff_actor(by),
        reason=reason,
        tightens=tightens,
        before=before,
        after=after,
    )


def _describe(user: User) -> str:
    """Return what the second administrator has to know a user by."""
    name = user.get_full_name()
    return f"{user.username} ({', '.join(filter(None, (name, user.email or 'no e-mail address')))})"


def _refuse_own(user: User, by: User) -> None:
    if user.pk == by.pk:
        raise OwnAccessChange


def _check_change(user: User, *, by: User, reason: str) -> None:
    _refuse_own(user, by)
    if not MIN_REASON_LENGTH <= len(reason.strip()) <= MAX_REASON_LENGTH:
        raise ReasonMissing
