"""What both sides have of a day: ours set-wise from our rows, theirs from the provider's records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from wallet.payments.provider import PaymentNotFound, PaymentProvider
from wallet.payments.provider_reports import PaymentKind
from wallet.reconciliation.comparison import Key, OurPayment, TheirPayment

MAX_STATUS_REQUESTS: Final = 200
"""Payments that the provider's records leave out and that it is asked about one by one; beyond, its records stand."""
_PAYMENT: Final = """
    SELECT kind, id::text, coalesce(reference, ''), status, amount, currency,
           CASE kind WHEN 'deposit' THEN status IN ('completed', 'reversed') OR coalesce(reference, '') <> ''
                ELSE status IN ('sent', 'paid') OR (status = 'returned' AND coalesce(reference, '') <> '') END
      FROM (SELECT 'deposit' AS kind, id, reference, status, amount, currency FROM wallet_deposit WHERE {where}
            UNION ALL
            SELECT 'payout', id, reference, status, amount - fee, currency FROM wallet_withdrawal WHERE {where}) payment
"""
_OF_THE_DAY: Final = _PAYMENT.format(
    where="operator_id = %s AND provider = %s AND requested_at >= %s AND requested_at < %s"
)
_BY_IDS: Final = _PAYMENT.format(where="operator_id = %s AND provider = %s AND id::text = ANY (%s::text[])")


@dataclass(frozen=True, slots=True)
class ReconciliationDay:
    """One day of one operator with one provider, with its bounds in UTC."""

    operator: UUID
    provider: str
    day: date
    since: datetime
    until: datetime


def fetch_provider_payments(day: ReconciliationDay, adapter: PaymentProvider) -> dict[Key, TheirPayment]:
    """Ask what the provider has: its records of a day, and what these leave out but it knows when asked.

    Raises NoAnswer.
    """
    records = adapter.records(account=str(day.operator), since=day.since, until=day.until)
    found = {
        (each.kind, each.payment): TheirPayment(
            each.kind, each.payment, each.reference, each.status, each.amount, each.currency
        )
        for each in records
    }
    rows = _rows(_OF_THE_DAY, _asked(day))
    missing = [each for each in rows if each.expected and (each.kind, each.payment) not in found]
    for each in missing[:MAX_STATUS_REQUESTS]:
        try:
            told = adapter.status(kind=each.kind, payment=UUID(each.payment))
        except PaymentNotFound:
            continue
        found[each.kind, each.payment] = TheirPayment(
            each.kind, each.payment, told.reference, told.status, told.amount, told.currency
        )
    return found


def load_our_payments(day: ReconciliationDay, theirs: Mapping[Key, TheirPayment]) -> dict[Key, OurPayment]:
    """Read our payments of a day that matter to the provider, and others that its records name."""
    rows = _rows(_OF_THE_DAY, _asked(day))
    found = {(each.kind, each.payment): each for each in rows if each.expected or (each.kind, each.payment) in theirs}
    others = [payment for kind, payment in theirs if (kind, payment) not in found]
    if others:
        whose = [day.operator, day.provider, others]
        found |= {(each.kind, each.payment): each for each in _rows(_BY_IDS, [*whose, *whose])}
    return found


def by_currency(
    ours: Mapping[Key, OurPayment], theirs: Mapping[Key, TheirPayment], currencies: Iterable[str]
) -> dict[str, tuple[list[OurPayment], list[TheirPayment]]]:
    """Part both sides by currency, these at least; a payment that both know goes by ours."""
    parts: dict[str, tuple[list[OurPayment], list[TheirPayment]]] = defaultdict(lambda: ([], []))
    for currency in currencies:
        parts[currency] = [], []
    for mine in ours.values():
        parts[mine.currency][0].append(mine)
    for key, other in theirs.items():
        parts[ours[key].currency if key in ours else other.currency][1].append(other)
    return parts


def _asked(day: ReconciliationDay) -> list[Any]:
    whose = [day.operator, day.provider, day.since, day.until]
    return [*whose, *whose]


def _rows(statement: str, values: list[Any]) -> list[OurPayment]:
    return [OurPayment(PaymentKind(row[0]), *row[1:]) for row in fetch(statement, values)]
