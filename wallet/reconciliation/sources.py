"""Load both sides of a day: our payments from rows, theirs from the provider's records.

The provider `wallet` is the operator's own wallet.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from casino.events.sql import fetch
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.providers import RecordKeeper, UnknownPayment
from wallet.reconciliation.comparison import Key, OurPayment, TheirPayment

MAX_STATUS_REQUESTS: Final = 200
"""Number of payments missing in the provider's records whose status is requested one by one."""
_PAYMENT: Final = """
    SELECT kind, id::text, coalesce(reference, ''), status, amount, currency,
           CASE kind WHEN 'deposit' THEN status IN ('completed', 'reversed') OR coalesce(reference, '') <> ''
                ELSE status IN ('sent', 'paid') OR (status = 'returned' AND coalesce(reference, '') <> '') END
      FROM (SELECT 'deposit' AS kind, id, reference, status, amount, currency FROM wallet_deposit WHERE {where}
            UNION ALL
            SELECT 'payout', id, reference, status, amount - fee, currency FROM wallet_withdrawal WHERE {where}
            UNION ALL
            SELECT CASE WHEN kind = 'debit' OR amount < 0 THEN 'deposit' ELSE 'payout' END, id, reference,
                   CASE WHEN status = 'rolled_back' AND found THEN 'reversed'
                        WHEN status IN ('refused', 'rolled_back') THEN 'failed'
                        WHEN status = 'accepted' AND (kind = 'debit' OR amount < 0) THEN 'completed'
                        WHEN status = 'accepted' THEN 'paid' ELSE 'approved' END, abs(amount), currency
              FROM (SELECT *, 'wallet' AS provider FROM wallet_remote) AS remote WHERE {where}) payment
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


def fetch_provider_payments(day: ReconciliationDay, adapter: RecordKeeper) -> dict[Key, TheirPayment]:
    """Fetch the provider's records of a day, and the status of our payments that these leave out.

    Raises ProviderUnavailable.
    """
    records = adapter.records(account=str(day.operator), since=day.since, until=day.until)
    payments = {
        (each.kind, each.payment): TheirPayment(
            each.kind, each.payment, each.reference, each.status, each.amount, each.currency
        )
        for each in records
    }
    rows = _rows(_OF_THE_DAY, _parameters(day))
    missing = [each for each in rows if each.expected and (each.kind, each.payment) not in payments]
    for each in missing[:MAX_STATUS_REQUESTS]:
        try:
            report = adapter.status(kind=each.kind, payment=UUID(each.payment))
        except UnknownPayment:
            continue
        payments[each.kind, each.payment] = TheirPayment(
            each.kind, each.payment, report.reference, report.status, report.amount, report.currency
        )
    return payments


def load_our_payments(day: ReconciliationDay, theirs: Mapping[Key, TheirPayment]) -> dict[Key, OurPayment]:
    """Read our payments of a day that the provider must have, and others that its records name."""
    rows = _rows(_OF_THE_DAY, _parameters(day))
    payments = {
        (each.kind, each.payment): each for each in rows if each.expected or (each.kind, each.payment) in theirs
    }
    others = [payment for kind, payment in theirs if (kind, payment) not in payments]
    if others:
        found = our_payments(day.operator, day.provider, others)
        payments |= {(each.kind, each.payment): each for each in found}
    return payments


def our_payments(operator: UUID, provider: str, payments: list[str]) -> list[OurPayment]:
    """Read an operator's payments at a provider by their ids."""
    return _rows(_BY_IDS, 3 * [operator, provider, payments])


def by_currency(
    ours: Mapping[Key, OurPayment], theirs: Mapping[Key, TheirPayment], currencies: Iterable[str]
) -> dict[str, tuple[list[OurPayment], list[TheirPayment]]]:
    """Split both sides by currency, with at least these; a payment on both sides goes by our currency."""
    parts: dict[str, tuple[list[OurPayment], list[TheirPayment]]] = defaultdict(lambda: ([], []))
    for currency in currencies:
        parts[currency] = [], []
    for mine in ours.values():
        parts[mine.currency][0].append(mine)
    for key, other in theirs.items():
        parts[ours[key].currency if key in ours else other.currency][1].append(other)
    return parts


def _parameters(day: ReconciliationDay) -> list[Any]:
    return 3 * [day.operator, day.provider, day.since, day.until]


def _rows(statement: str, values: list[Any]) -> list[OurPayment]:
    return [OurPayment(PaymentKind(row[0]), *row[1:]) for row in fetch(statement, values)]
