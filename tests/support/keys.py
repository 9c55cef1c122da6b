"""API keys as tests need them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import database_now
from casino.kernel import money
from casino.operators import acts, credentials, services
from casino.operators.key_limits import Movement
from casino.operators.key_models import KeyLimit
from casino.operators.memberships import shell_actor
from casino.operators.principals import Scope
from casino.significant import act_log

ANYWHERE: Final = ("0.0.0.0/0", "::/0")


@transaction.atomic
def issue_key(
    *,
    operator: UUID,
    label: str = "",
    scopes: Iterable[str] = tuple(Scope),
    networks: Iterable[str] = (),
    expires_at: datetime | None = None,
    brand: UUID | None = None,
    by: str = "",
) -> tuple[str, str]:
    """Issue a key at once: its id and secret. A live operator's for money gets the bounds that it needs, all wide."""
    (key, secret), by = credentials.new_key(), by or shell_actor()
    owner, scopes, now = services.get_operator(operator), [*scopes], database_now()
    bounded = Scope.MONEY in scopes and not owner.sandbox
    if bounded:
        networks, expires_at = networks or ANYWHERE, expires_at or now + timedelta(days=90)
    terms = services.key_terms(scopes, networks, expires_at)
    with act_log.as_one(acts.CHANGE_KEY.name, operator=operator, subject=f"key:{key}", actor=by):
        services.add_key(key, credentials.digest(secret), operator=operator, label=label, brand=brand, by=by, **terms)
        KeyLimit.objects.bulk_create(
            KeyLimit(key_id=key, movement=each, currency=currency, per_day=money.MAX_AMOUNT - 1, day=now.date())
            for currency in (owner.currencies if bounded else ())
            for each in Movement
        )
    return key, secret
