"""E-mails to the people whom a change concerns, or who have a part in it. None holds a secret."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User

from casino.kernel.persons import STAFF
from casino.mail import outbox
from casino.operators.memberships import staff_actor
from casino.operators.models import Change

_UNEXPECTED: Final = "If you did not expect this, tell another administrator at once."


def tell(actors: Iterable[str], *, subject: str, text: str, closing: str = _UNEXPECTED) -> None:
    """E-mail the members of staff among these actors, those of them who have an address."""
    users = User.objects.filter(pk__in=_numbers(actors), is_active=True).exclude(email="")
    for address in sorted(set(users.values_list("email", flat=True))):
        tell_address(address, subject=subject, text=text, closing=closing)


def tell_operator(operator: UUID, *, permission: str, subject: str, text: str) -> None:
    """E-mail the members of an operator's staff who have a permission."""
    tell(members_with(permission, operator=operator), subject=subject, text=text)


def members_with(permission: str, *, operator: UUID) -> list[str]:
    """List the members of an operator's staff who have a permission, as actors."""
    members = User.objects.filter(memberships__operator=operator, is_active=True).order_by("pk")
    return [staff_actor(user) for user in members if user.has_perm(permission)]


def tell_address(address: str, *, subject: str, text: str, closing: str = _UNEXPECTED) -> None:
    """E-mail an address, if it is one."""
    if address:
        outbox.send(address=address, subject=subject, body=f"{text}\n\n{closing}".rstrip() + "\n")


def tell_of_change(change: Change, step: str, *, concerned: Iterable[str], by: str) -> None:
    """E-mail everybody who has a part in a change but `by`, whose step it is."""
    people = {change.requested_by, change.decided_by, *concerned} - {by}
    lines = [f"{step}: {change.summary}", "", f"Requested by {name_of(change.requested_by)}."]
    if change.decided_by:
        lines.append(f"Decided by {name_of(change.decided_by)}.")
    if change.effective_at is not None:
        lines.append(f"Takes effect at {change.effective_at:%Y-%m-%d %H:%M} UTC.")
    lines.append(f"Change {change.pk}")
    tell(people, subject=f"{step}: {change.summary}", text="\n".join(lines))


def format_request(change: Change) -> str:
    """Say what happens next to what a command requested."""
    who = "One person confirms" if change.persons == 1 else f"{change.persons} persons confirm"
    return (
        f"requested, and nothing has changed. Change {change.pk}: {change.summary}. {who} it under Changes in the "
        f"admin, until {change.expires_at:%Y-%m-%d %H:%M} UTC."
    )


def name_of(actor: str) -> str:
    """Return a member of staff's login with the actor, for people to read; any other actor as it is."""
    return names_of([actor]).get(actor, actor)


def names_of(actors: Iterable[str]) -> dict[str, str]:
    """Return the logins of members of staff with the actors, by the actors, for people to read."""
    rows = User.objects.filter(pk__in=_numbers(actors)).values_list("pk", "username")
    return {f"{STAFF}:{number}": f"{login} ({STAFF}:{number})" for number, login in rows}


def _numbers(actors: Iterable[str]) -> set[int]:
    parts = (actor.partition(":") for actor in actors)
    return {int(number) for door, _, number in parts if door == STAFF and number.isdecimal()}
