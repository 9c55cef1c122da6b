"""Thresholds from which a wager, win or payment is reported as large, by operator and currency."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import fetch
from casino.kernel import money
from casino.significant import act_log
from casino.significant.refusals import InvalidThreshold

DEFAULT_SINGLE: Final = 10_000
"""Whole units of a currency from which a single wager, win or payment is large, unless the operator sets another."""
DEFAULT_DAILY: Final = 50_000
"""The same for all wagers or all wins of one player in a day."""

_NEWEST: Final = """
    SELECT DISTINCT ON (operator_id, currency) operator_id, currency, wager, wager_day, win, win_day, payment
      FROM significant_threshold WHERE operator_id = ANY (%s::uuid[]) ORDER BY operator_id, currency, id DESC
"""
_CURRENT: Final = """
    SELECT DISTINCT ON (currency) currency, actor, at, wager, wager_day, win, win_day, payment
      FROM significant_threshold WHERE operator_id = %s ORDER BY currency, id DESC
"""
_ADD: Final = """
    INSERT INTO significant_threshold (operator_id, currency, wager, wager_day, win, win_day, payment, actor)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Amounts in minor units from which something is large. `…_day` are sums of one player in one day (UTC)."""

    wager: int
    wager_day: int
    win: int
    win_day: int
    payment: int


@dataclass(frozen=True, slots=True)
class CurrentThresholds:
    """The thresholds of one currency; `set_by` is empty and `set_at` None for the defaults."""

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
    newest = {
        (operator, currency): Thresholds(*amounts) for operator, currency, *amounts in fetch(_NEWEST, [operators])
    }
    return {pair: newest.get(pair) or default(pair[1]) for pair in wanted}


def list_thresholds(operator: UUID, *, currency: str) -> list[CurrentThresholds]:
    """Return an operator's thresholds in its own currency and in all others for which it set any."""
    by_currency = {
        each: CurrentThresholds(each, Thresholds(*amounts), by, at)
        for each, by, at, *amounts in fetch(_CURRENT, [operator])
    }
    by_currency.setdefault(currency, CurrentThresholds(currency, default(currency), "", None))
    return [by_currency[each] for each in sorted(by_currency)]


def default(currency: str) -> Thresholds:
    """Return the default thresholds. Raises UnknownCurrency."""
    unit = money.unit(currency)
    single, daily = DEFAULT_SINGLE * unit, DEFAULT_DAILY * unit
    return Thresholds(wager=single, wager_day=daily, win=single, win_day=daily, payment=single)


def are_looser(thresholds: Thresholds, *, operator: UUID, currency: str) -> bool:
    """Return whether less would be reported than now. Raises UnknownCurrency."""
    now = asdict(thresholds_for([(operator, currency)])[operator, currency])
    return any(amount > now[name] for name, amount in asdict(thresholds).items())


def change(*, operator: UUID, currency: str, thresholds: Thresholds, actor: str, authorised_by: str = "") -> None:
    """Set an operator's thresholds, and record the change. Raises InvalidThreshold, UnknownCurrency."""
    amounts = asdict(thresholds)
    if not all(0 < amount <= money.MAX_AMOUNT for amount in amounts.values()):
        raise InvalidThreshold
    money.exponent(currency)
    with transaction.atomic():
        before = thresholds_for([(operator, currency)])[operator, currency]
        tightens = not are_looser(thresholds, operator=operator, currency=currency)
        fetch(_ADD, [operator, currency, *amounts.values(), actor])
        act_log.done(
            "significant.add_threshold",
            operator=operator,
            subject=f"operator:{operator}",
            actor=actor,
            authorised_by=authorised_by,
            reason=f"Thresholds in {currency}",
            tightens=tightens,
            before=asdict(before),
            after=amounts,
            currency=currency,
        )
