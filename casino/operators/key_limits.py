"""Limits on the real money that an API key moves: in one request, and in a day (UTC).

They count credits and debits that are requested with the key, and the deposits and withdrawals of players whose
sessions it opened. What is moved is counted in the transaction that moves it, on a row for each key, movement and
currency, so that requests at once can't exceed a limit together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from django.db import transaction

from casino.events.sql import database_now, fetch
from casino.kernel import money
from casino.operators import acts
from casino.operators.key_models import KeyLimit
from casino.operators.models import ApiKey
from casino.operators.refusals import InvalidKeyLimit, KeyLimitReached, UnknownKey
from casino.significant import act_log, recorder


class Movement(StrEnum):
    """How money moves."""

    CREDIT = "credit"
    DEBIT = "debit"
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """Limits of one movement in one currency, in minor units; None for no limit, zero for nothing at all."""

    per_request: int | None = None
    per_day: int | None = None


# A row whose day is over, or has begun while this waited, counts from nothing or goes on.
_COUNT: Final = """
UPDATE operators_keylimit
   SET moved = CASE WHEN day >= %(day)s THEN moved ELSE 0 END + %(amount)s, day = greatest(day, %(day)s)
 WHERE key_id = %(key)s AND movement = %(movement)s AND currency = %(currency)s
   AND (per_request IS NULL OR %(amount)s <= per_request)
   AND (per_day IS NULL OR CASE WHEN day >= %(day)s THEN moved ELSE 0 END + %(amount)s <= per_day)
RETURNING true
"""


def count(key: str, movement: Movement, amount: int, currency: str, *, now: datetime | None = None) -> None:
    """Count real money that a key moves, in the transaction that moves it. Raises KeyLimitReached.

    `key` is empty for what no key has opened, and is limited by none. Call it last: whoever comes next waits until the
    transaction ends.
    """
    if not key:
        return
    day = (now or database_now()).astimezone(UTC).date()
    values = {"key": key, "movement": movement.value, "currency": currency, "amount": amount, "day": day}
    if fetch(_COUNT, values):
        return
    limits = KeyLimit.objects.filter(key_id=key)
    own = limits.filter(movement=movement, currency=currency).first()
    if own is None and not limits.exists():
        return
    of_request = own is None or (own.per_request is not None and amount > own.per_request)
    raise KeyLimitReached(movement=movement.value, currency=currency, period="request" if of_request else "day")


def change(*, key: str, movement: Movement, currency: str, limits: KeyLimits | None, by: str) -> None:
    """Set the limits of a key on one movement in a currency; None removes them. Raises UnknownKey, InvalidKeyLimit.

    What was moved today counts on. The first limit of a key forbids all other movements until they have limits, too.
    """
    money.exponent(currency)
    amounts = () if limits is None else (limits.per_request, limits.per_day)
    if limits == KeyLimits() or not all(amount is None or 0 <= amount < money.MAX_AMOUNT for amount in amounts):
        raise InvalidKeyLimit
    with transaction.atomic():
        row = ApiKey.objects.select_for_update(no_key=True).filter(key_id=key).first()
        if row is None:
            raise UnknownKey(f"There is no key {key[:60]!r}.")
        tightens = not loosens(row.limits.all(), movement, currency, limits)
        rows = row.limits.filter(movement=movement, currency=currency)
        before = rows.values("per_request", "per_day").first()
        after = None if limits is None else {"per_request": limits.per_request, "per_day": limits.per_day}
        if after is None:
            rows.delete()
        elif not rows.update(**after):
            row.limits.create(movement=movement, currency=currency, day=database_now().date(), **after)
        act_log.done(
            acts.CHANGE_KEY.name,
            kind=recorder.SignificantEventKind.ACCESS_CHANGED,
            operator=row.operator_id,
            subject=f"key:{key}",
            actor=by,
            reason=f"The limits of an API key on each {movement.value} in {currency} were changed",
            tightens=tightens,
            before=before,
            after=after,
            currency=currency,
        )


def loosens(rows: Iterable[KeyLimit], movement: Movement, currency: str, limits: KeyLimits | None) -> bool:
    """Return whether a key with these limits could move more after this change of one of them; None removes it."""
    before = {(row.movement, row.currency): KeyLimits(row.per_request, row.per_day) for row in rows}
    after = {key: each for key, each in before.items() if key != (movement, currency)}
    if limits is not None:
        after[movement, currency] = limits
    touched = {*before, *after, ("", "")}  # the last one stands for whatever has no limit of its own
    return any(_exceeds(_allowance(after, each), _allowance(before, each)) for each in touched)


def _allowance(limits: Mapping[tuple[str, str], KeyLimits], movement: tuple[str, str]) -> KeyLimits:
    return limits.get(movement, KeyLimits(0, 0) if limits else KeyLimits())


def _exceeds(one: KeyLimits, other: KeyLimits) -> bool:
    pairs = (one.per_request, other.per_request), (one.per_day, other.per_day)
    return any(most is not None and (more is None or more > most) for more, most in pairs)


def list_limits(key: str) -> Sequence[KeyLimit]:
    """Return the limits of a key, with what was moved today."""
    rows: list[Any] = list(KeyLimit.objects.filter(key_id=key).order_by("movement", "currency"))
    today = database_now().date()
    for row in rows:
        row.moved = row.moved if row.day >= today else 0
    return rows
