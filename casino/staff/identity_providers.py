"""Operators' identity providers (OpenID Connect), with which their staff sign in. Two administrators agree on each.

A provider signs in members of staff who work for its operator alone, and no superuser: it has no power over others. It
creates no users and gives no roles.
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.events import wakeups
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.memberships import staff_actor
from casino.operators.models import Change, ChangeName, StaffMembership
from casino.significant import act_log
from casino.significant.recorder import SignificantEventKind
from casino.staff import acts
from casino.staff.models import IdentityProvider, ProviderDescription
from casino.staff.refusals import InvalidIdentityProvider

KIND: Final = ChangeName.IDENTITY_PROVIDER
READ_JOB: Final = "read-identity-providers"
"""In settings.CELERY_BEAT_SCHEDULE."""
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def request_provider(
    *,
    operator: UUID,
    issuer: str,
    client_id: str,
    client_secret: str,
    second_factors: Iterable[str],
    by: str,
) -> Change:
    """Request a provider for an operator, in place of the one that it has.

    `second_factors` are values of `amr` or `acr` with which no code of an authenticator is needed. Raises
    InvalidIdentityProvider, ChangeNeedsSecondPerson.
    """
    issuer = issuer.strip()
    if not is_safe_address(issuer):
        raise InvalidIdentityProvider
    row = IdentityProvider(operator_id=operator, issuer=issuer, client_id=client_id).sealed(client_secret.encode())
    factors = sorted(set(second_factors))
    return changes.request(
        operator=operator,
        kind=KIND,
        subject=f"operator:{operator}",
        summary=(
            f"Let the staff sign in by {issuer} (client {client_id}; "
            f"second factor: {', '.join(factors) or 'always our own code'})"
        ),
        details={
            "issuer": issuer,
            "client_id": client_id,
            "key_id": row.key_id,
            "secret": row.wrapped.hex(),
            "second_factors": factors,
        },
        by=by,
    )


def register() -> None:
    """Register what two administrators may change here."""
    changes.register(ChangeKind(KIND, acts.ADD_PROVIDER, _apply, secret=True, concerns=_people_it_signs_in))


def in_force(slug: str) -> IdentityProvider | None:
    """Return the provider of an operator with this slug, if it has one."""
    return IdentityProvider.objects.select_related("operator").filter(operator__slug=slug, removed_at=None).first()


def remove(provider: UUID, *, by: str) -> None:
    """Remove a provider at once, for which one is enough: sessions that it began end. Twice is no error."""
    with transaction.atomic():
        row = IdentityProvider.objects.select_for_update().get(pk=provider)
        if row.removed_at is not None:
            return
        act_log.changed(
            row,
            "staff.delete_identityprovider",
            kind=SignificantEventKind.ACCESS_CHANGED,
            subject=f"operator:{row.operator_id}",
            by=by,
            reason=f"The identity provider {row.issuer} was removed (client {row.client_id})",
            removed_at=database_now(),
            removed_by=by,
        )


def is_safe_address(url: object) -> bool:
    """Return whether an address is https, or of this machine in development, without a user or fragment."""
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    secure = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK and not settings.PRODUCTION)
    return secure and bool(host) and parts.username is None and not parts.fragment


def _apply(change: Change) -> None:
    details, operator = changes.details_of(change), changes.operator_of(change)
    for earlier in IdentityProvider.objects.filter(operator_id=operator, removed_at=None):
        remove(earlier.pk, by=change.decided_by or change.requested_by)
    provider = IdentityProvider.objects.create(
        id=new_id(database_now()),
        operator_id=operator,
        issuer=details["issuer"],
        client_id=details["client_id"],
        key_id=details["key_id"],
        wrapped=bytes.fromhex(details["secret"]),
        second_factors=details["second_factors"],
        requested_by=change.requested_by,
        confirmed_by=change.decided_by,
    )
    ProviderDescription.objects.create(provider=provider)
    wakeups.wake_on_commit(READ_JOB)


def _people_it_signs_in(change: Change) -> list[str]:
    members = StaffMembership.objects.filter(operator_id=changes.operator_of(change)).select_related("user")
    return [staff_actor(member.user) for member in members]
