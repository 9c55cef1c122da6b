"""From which amount on a wager, a win or a payment is large: per operator and currency, newest row first."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.kernel import money
from casino.significant import recorder
from casino.significant.refusals import InvalidThreshold

DEFAULT_SINGLE: Final = 10_000
"""Whole units of a currency from which on one wager, win or payment is large, as long as the operator sets nothing."""
DEFAULT_DAILY: Final = 50_000
"""And all wagers, or all that is won, of one player in a day."""

_NEWEST: Final = """
    SELECT DISTINCT ON (operator_id, currency) operator_id, currency, wager, wager_day, win, win_day, payment
      FROM significant_threshold WHERE operator_id = ANY (%s::uuid[]) ORDER BY operator_id, currency, id DESC
"""
_STANDING: Final = """
    SELECT DISTINCT ON (currency) currency, actor, at, wager, wager_day, win, win_day, payment
      FROM significant_threshold WHERE operator_id = %s ORDER BY currency, id DESC
"""
_ADD: Final = """
    INSERT INTO significant_threshold (operator_id, currency, wager, wager_day, win, win_day, payment, actor)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """In minor units: what is as much or more is large. `…_day` are of one player in one day (UTC)."""

    wager: int
    wager_day: int
    win: int
    win_day: int
    payment: int


@dataclass(frozen=True, slots=True)
class CurrentThresholds:
    """Thresholds as they stand in one currency; nobody and None for those of the house, which nobody set."""

    currency: str
    thresholds: Thresholds
    set_by: str
    set_at: datetime | None


def thresholds_for(pairs: Iterable[tuple[UUID, str]]) -> dict[tuple[UUID, str], Thresholds]:
    """Return the thresholds of each (operator, currency), in one statement."""
    wanted = set(pairs)
    if not wanted:
        return {}
    operators = sorted({operator for operator, _ in wanted})
    told = {(operator, currency): Thresholds(*amounts) for operator, currency, *amounts in fetch(_NEWEST, [operators])}
    return {pair: told.get(pair) or default(pair[1]) for pair in wanted}


def list_thresholds(operator: UUID, *, currency: str) -> list[CurrentThresholds]:
    """List what counts as large for an operator: in its own currency, and in all for which it was set."""
    told = {
        each: CurrentThresholds(each, Thresholds(*amounts), by, at)
        for each, by, at, *amounts in fetch(_STANDING, [operator])
    }
    told.setdefault(currency, CurrentThresholds(currency, default(currency), "", None))
    return [told[each] for each in sorted(told)]


def default(currency: str) -> Thresholds:
    """Return the thresholds that count where an operator set none. Raises UnknownCurrency."""
    unit = 10 ** money.exponent(currency)
    once, in_a_day = DEFAULT_SINGLE * unit, DEFAULT_DAILY * unit
    return Thresholds(wager=once, wager_day=in_a_day, win=once, win_day=in_a_day, payment=once)


def change(*, operator: UUID, currency: str, thresholds: Thresholds, actor: str) -> None:
    """Set an operator's thresholds, and record the change. Raises ThresholdImpossible, UnknownCurrency."""
    wanted = asdict(thresholds)
    if not all(0 < amount <= money.MAX_AMOUNT for amount in wanted.values()):
        raise InvalidThreshold
    money.exponent(currency)
    with transaction.atomic():
        before = thresholds_for([(operator, currency)])[operator, currency]
        fetch(_ADD, [operator, currency, *wanted.values(), actor])
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator,
            subject=f"operator:{operator}",
            actor=actor,
            reason=f"What counts as large, in {currency}",
            before=asdict(before),
            after=wanted,
            currency=currency,
        )
