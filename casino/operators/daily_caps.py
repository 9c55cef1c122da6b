"""Caps on the real money that moves in an accounting day of an operator: transfers in, credits, payouts and wins.

What moves is counted in the transaction that moves it, under the lock of one row for each operator, kind and currency.
That row is locked after the accounts, so that whoever waits for it holds up nobody but those who wait for it, too; the
cap of credits alone comes before the operator's account of adjustments, which debits never hold while they wait.
Amounts only add up: what is returned, reversed or void later stays counted on its day. A cap counts from the moment in
which it is set, and its amount can change while it counts. Who sets one waits for whatever moves money without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import execute, fetch
from casino.kernel import money
from casino.operators import acts
from casino.operators.models import DailyCap
from casino.operators.refusals import InvalidDailyCap
from casino.significant import act_log, recorder
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind


class CapKind(StrEnum):
    """What money a cap counts."""

    TRANSFERS_IN = "transfers_in"
    CREDITS = "credits"
    PAYOUTS = "payouts"
    WINS = "wins"


class CapEffect(StrEnum):
    """What follows beyond a cap."""

    REFUSE = "refuse"
    HOLD = "hold"
    STOP_BETS = "stop_bets"
    HOLD_PAYOUTS = "hold_payouts"


EFFECTS: Final[Mapping[CapKind, tuple[CapEffect, ...]]] = {
    CapKind.TRANSFERS_IN: (CapEffect.REFUSE,),
    CapKind.CREDITS: (CapEffect.HOLD,),
    CapKind.PAYOUTS: (CapEffect.HOLD,),
    CapKind.WINS: (CapEffect.STOP_BETS, CapEffect.HOLD_PAYOUTS),
}
"""What may follow, by kind; the first unless another is chosen."""
NEAR_PERCENT: Final = 80
"""Of a cap: from here on somebody is told that it is near."""


@dataclass(frozen=True, slots=True)
class DayTotal:
    """What was counted on an accounting day, in minor units."""

    day: date
    moved: int

    def add(self, amount: int, day: date) -> "DayTotal":
        """Count an amount on a day. What comes late for a day that has ended is not counted any more."""
        if day < self.day:
            return self
        return DayTotal(day, amount + (self.moved if day == self.day else 0))

    def passes(self, after: "DayTotal", cap: int) -> bool:
        """Return whether a total first comes near a cap after this one, of the same day or one before."""
        before = self.moved if self.day == after.day else 0
        return 100 * before < NEAR_PERCENT * cap <= 100 * after.moved

    def fits(self, amount: int, day: date, cap: int) -> bool:
        """Return whether a cap allows an amount on a day."""
        after = self.add(amount, day)
        return after == self or after.moved <= cap


LOCK_CAPS: Final = "operators_lock_caps"
"""A function of the database that returns whether an operator has caps, and keeps that so in this transaction."""
_LOCK: Final = f"SELECT {LOCK_CAPS}(%s)"
_LOCK_ALL: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 11))"
_FIND: Final = """
    SELECT cap.id, cap.amount, cap.day, cap.moved, (%(at)s::timestamptz AT TIME ZONE own.time_zone)::date
      FROM operators_dailycap AS cap JOIN operators_operator AS own ON own.id = cap.operator_id
     WHERE cap.operator_id = %(operator)s AND cap.kind = %(kind)s AND cap.currency = %(currency)s
       AND cap.counted_from <= %(at)s FOR NO KEY UPDATE OF cap
"""
_COUNT: Final = "UPDATE operators_dailycap SET day = %s, moved = %s WHERE id = %s"
_NOW: Final = """
    SELECT clock_timestamp(), (clock_timestamp() AT TIME ZONE time_zone)::date FROM operators_operator WHERE id = %s
"""
_COUNT_WINS: Final = f"""
    WITH won AS (
        SELECT cap.id, cap.day AS before, cap.moved AS counted, won.amount,
               (%s::timestamptz AT TIME ZONE own.time_zone)::date AS day
          FROM unnest(%s::uuid[], %s::text[], %s::bigint[]) AS won (operator_id, currency, amount)
          JOIN operators_dailycap AS cap USING (operator_id, currency)
          JOIN operators_operator AS own ON own.id = cap.operator_id
         WHERE cap.kind = 'wins' AND cap.counted_from <= %s
         ORDER BY cap.id FOR NO KEY UPDATE OF cap
    )
    UPDATE operators_dailycap AS cap
       SET day = won.day, moved = won.amount + CASE WHEN won.day = won.before THEN won.counted ELSE 0 END
      FROM won WHERE cap.id = won.id AND won.day >= won.before
    RETURNING cap.operator_id, cap.currency, cap.moved > cap.amount AND cap.moved - won.amount <= cap.amount,
              100 * (cap.moved - won.amount) < {NEAR_PERCENT} * cap.amount
              AND {NEAR_PERCENT} * cap.amount <= 100 * cap.moved
"""  # noqa: S608  (a constant)


def count(kind: CapKind, *, operator: UUID, currency: str, amount: int, at: datetime, anyway: bool = False) -> bool:
    """Count real money that moves at this time, and return whether the cap allows it; if not, count nothing.

    What was released counts `anyway`. Without a cap nothing is locked. Call it in the transaction that moves the money.
    """
    ((has_caps,),) = fetch(_LOCK, [operator])
    rows = fetch(_FIND, {"at": at, "operator": operator, "kind": kind.value, "currency": currency}) if has_caps else ()
    for cap, limit, last, moved, day in rows:
        total = DayTotal(last, moved)
        if not anyway and not total.fits(amount, day, limit):
            return False
        after = total.add(amount, day)
        execute(_COUNT, [after.day, after.moved, cap])
        if total.passes(after, limit):
            tell(kind, operator=operator, currency=currency, near=True)
    return True


def count_wins(won: Mapping[tuple[UUID, str], int], *, at: datetime) -> None:
    """Count what was won at this time, by operator and currency, in one statement; tell of caps that it exceeds."""
    if not won:
        return
    operators, currencies = zip(*won, strict=True)
    for operator, currency, exceeded, near in fetch(
        _COUNT_WINS, [at, list(operators), list(currencies), list(won.values()), at]
    ):
        if exceeded or near:
            tell(CapKind.WINS, operator=operator, currency=currency, near=not exceeded)


def wins_exceeded(*, operator: UUID, currency: str, effect: CapEffect) -> bool:
    """Return whether more was won today than the operator's cap, with this effect."""
    ((exceeded,),) = fetch("SELECT operators_wins_capped(%s, %s, %s)", [operator, currency, effect.value])
    return bool(exceeded)


def tell(kind: CapKind, *, operator: UUID, currency: str, near: bool = False) -> None:
    """Record that a cap was reached, or nearly, once a day: a significant event that waits for somebody."""
    ((_, day),) = fetch(_NOW, [operator])
    cap = DailyCap.objects.filter(operator_id=operator, kind=kind, currency=currency).first()
    if cap is None:
        return
    told = SignificantEventKind.DAILY_CAP_NEAR if near else SignificantEventKind.DAILY_CAP_REACHED
    event = NewSignificantEvent(
        kind=told,
        operator=operator,
        subject=f"operator:{operator}",
        actor="system:caps",
        reason=f"The cap of the day on {in_words(kind)} is {'nearly ' if near else ''}reached ({in_words(cap.effect)})",
        after={"kind": kind.value, "effect": cap.effect, "day": day.isoformat(), "counted": cap.moved},
        amount=cap.amount,
        currency=currency,
        dedup_key=f"{told}:{operator}:{kind}:{currency}:{day}:{cap.amount}",
    )
    recorder.record_many([event])


def change(
    *, operator: UUID, kind: CapKind, currency: str, amount: int | None, effect: CapEffect | None = None, by: str
) -> None:
    """Set a cap in minor units, or remove it with None. Raises UnknownCurrency, InvalidDailyCap.

    What was counted today stays counted while there is a cap.
    """
    money.exponent(currency)
    effect = effect or EFFECTS[kind][0]
    if effect not in EFFECTS[kind] or not (amount is None or 0 < amount < money.MAX_AMOUNT):
        raise InvalidDailyCap
    with transaction.atomic():
        execute(_LOCK_ALL, [str(operator)])
        key: dict[str, Any] = {"operator_id": operator, "kind": kind.value, "currency": currency}
        rows = DailyCap.objects.filter(**key)
        before = rows.select_for_update().values("amount", "effect").first()
        tightens = not loosens(before, amount, effect)
        after = None if amount is None else {"amount": amount, "effect": effect.value}
        if after is None:
            if not rows.delete()[0]:
                raise InvalidDailyCap
        elif not rows.update(**after):
            ((now, day),) = fetch(_NOW, [operator])
            DailyCap.objects.create(**key, **after, counted_from=now, day=day)
        act_log.done(
            acts.SET_BOUNDS.name,
            operator=operator,
            subject=f"operator:{operator}",
            actor=by,
            reason=f"The cap of the day on {in_words(kind)} in {currency} was changed",
            tightens=tightens,
            before=before,
            after=after,
            currency=currency,
        )


def loosens(before: Mapping[str, Any] | None, amount: int | None, effect: CapEffect) -> bool:
    """Return whether more may move after this change of a cap; another effect stops what the first one let pass."""
    return before is not None and (amount is None or amount > before["amount"] or effect != before["effect"])


def in_words(name: str) -> str:
    """Return a kind or an effect in words."""
    return name.replace("_", " ")
