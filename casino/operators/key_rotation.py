"""Rotation of an API key's secret: the new one and the previous one are valid side by side, until the previous ends.

The key stays the same, with its id, scopes, networks, limits, signing keys and its own end. So rotation gives nobody
more than they had. But whoever has stolen a secret can rotate it: so at a live operator the previous secret stays valid
for an hour at least, no key ends it sooner, and the operator is told. A person ends it, and revokes the key, at once.
"""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from casino.events.sql import database_now
from casino.kernel.persons import is_person
from casino.operators import acts, credentials, notices
from casino.operators.models import ApiKey
from casino.operators.refusals import (
    NoRotation,
    PreviousSecretUsed,
    RotationTooQuick,
    RotationUnderWay,
)
from casino.operators.services import find_key, record_access

OVERLAP: Final = timedelta(hours=24)
MIN_OVERLAP: Final = timedelta(hours=1)
"""At a live operator: time to notice a rotation that nobody asked for."""
MAX_OVERLAP: Final = timedelta(days=7)


def rotate(
    *, key_id: str, by: str, overlap: timedelta = OVERLAP, with_previous: bool = False, now: datetime | None = None
) -> str:
    """Make a new secret and return it; the present one is valid for `overlap` from now. Raises as `replace` does."""
    secret = credentials.new_secret()
    replace(credentials.digest(secret), key_id=key_id, by=by, overlap=overlap, with_previous=with_previous, now=now)
    return secret


def replace(
    secret_hash: bytes,
    *,
    key_id: str,
    by: str,
    overlap: timedelta = OVERLAP,
    with_previous: bool = False,
    now: datetime | None = None,
) -> None:
    """Let the secret with this hash be the newest; the present one is valid for `overlap` from now.

    `with_previous` says that the caller has the previous secret only, as after a rotation whose answer was lost: it
    gets another new one, unless the newest was used. Raises UnknownKey, RotationUnderWay, RotationTooQuick.
    """
    with transaction.atomic():
        key, now = find_key(key_id, lock=True), now or database_now()
        if overlap < MIN_OVERLAP and not key.operator.sandbox:
            raise RotationTooQuick(until=now + MIN_OVERLAP)
        under_way = _rotation_ends(key, now)
        if under_way is not None and not (with_previous and key.last_used_at is None):
            raise RotationUnderWay(until=under_way)
        if under_way is None:
            key.previous_hash, key.previous_used_at = key.secret_hash, key.last_used_at
        key.previous_ends_at, key.last_used_at = now + overlap, None
        key.secret_hash, key.secret_since = secret_hash, now
        key.save()
        _record(key, by, "The secret of an API key was rotated")
        notices.tell_operator(
            key.operator_id,
            permission="operators.change_apikey",
            subject=f"The secret of the API key {key.label or key_id} was rotated",
            text=f"By {by}. The previous secret of {key_id} is valid until {key.previous_ends_at:%Y-%m-%d %H:%M} UTC.",
        )


def end(*, key_id: str, by: str, with_previous: bool = False, now: datetime | None = None) -> None:
    """End the previous secret at once. Raises UnknownKey, NoRotation, PreviousSecretUsed, RotationTooQuick."""
    with transaction.atomic():
        key, now = find_key(key_id, lock=True), now or database_now()
        if _rotation_ends(key, now) is None:
            raise NoRotation
        if with_previous:
            raise PreviousSecretUsed
        earliest = key.secret_since + MIN_OVERLAP
        if now < earliest and not (key.operator.sandbox or is_person(by)):
            raise RotationTooQuick(until=earliest)
        key.previous_hash = key.previous_ends_at = None
        key.save(update_fields=["previous_hash", "previous_ends_at"])
        _record(key, by, "The previous secret of an API key was ended", tightens=True)


def _rotation_ends(key: ApiKey, now: datetime) -> datetime | None:
    """Return when the previous secret ends, None if none is valid."""
    ends_at = key.previous_ends_at
    return ends_at if ends_at is not None and ends_at > now else None


def _record(key: ApiKey, by: str, reason: str, *, tightens: bool = False) -> None:
    ends_at = key.previous_ends_at
    act = acts.OWN_KEY if by == f"operator:{key.key_id}" else acts.CHANGE_KEY
    after = {"previous_ends_at": None if ends_at is None else ends_at.isoformat()}
    record_access(key.operator_id, f"key:{key.key_id}", by=by, reason=reason, act=act, tightens=tightens, after=after)
