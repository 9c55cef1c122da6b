"""Compare our payments of a day with a provider's records. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.reconciliation.events import DiscrepancyType

Key = tuple[PaymentKind, str]

MATCHING_STATUSES: Final[Mapping[str, frozenset[ProviderStatus]]] = {
    "pending": frozenset({ProviderStatus.PENDING}),
    "completed": frozenset({ProviderStatus.COMPLETED}),
    "failed": frozenset({ProviderStatus.FAILED}),
    "reversed": frozenset({ProviderStatus.REVERSED}),
    "sent": frozenset({ProviderStatus.PENDING}),
    "paid": frozenset({ProviderStatus.COMPLETED}),
    "returned": frozenset({ProviderStatus.FAILED, ProviderStatus.REVERSED}),
}
"""The provider's statuses that match each of ours; other statuses of ours match none."""


@dataclass(frozen=True, slots=True)
class OurPayment:
    """Our record of a payment; `expected` means that the provider must have it, too."""

    kind: PaymentKind
    payment: str
    reference: str
    status: str
    amount: int
    currency: str
    expected: bool


@dataclass(frozen=True, slots=True)
class TheirPayment:
    """The provider's record of a payment."""

    kind: PaymentKind
    payment: str
    reference: str
    status: ProviderStatus
    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class PaymentDiscrepancy:
    """One difference between both records of a payment; a missing record is None."""

    type: DiscrepancyType
    ours: OurPayment | None
    theirs: TheirPayment | None


@dataclass(frozen=True, slots=True)
class ReconciliationOutcome:
    """The result of a day: payments of each side, matches and their sum, and discrepancies."""

    ours: int
    theirs: int
    matched: int
    amount: int
    discrepancies: tuple[PaymentDiscrepancy, ...]


def compare(ours: Iterable[OurPayment], theirs: Iterable[TheirPayment]) -> ReconciliationOutcome:
    """Compare both sides by kind and our id; a payment that differs in two ways is two discrepancies."""
    by_key = {(each.kind, each.payment): each for each in ours}
    theirs_by_key = {(each.kind, each.payment): each for each in theirs}
    discrepancies: list[PaymentDiscrepancy] = []
    matched: list[OurPayment] = []
    for key in sorted(by_key.keys() | theirs_by_key.keys()):
        our_payment, their_payment = by_key.get(key), theirs_by_key.get(key)
        types = _differences(our_payment, their_payment)
        discrepancies.extend(PaymentDiscrepancy(type_, our_payment, their_payment) for type_ in types)
        if our_payment is not None and their_payment is not None and not types:
            matched.append(our_payment)
    amount = sum(each.amount if each.kind is PaymentKind.DEPOSIT else -each.amount for each in matched)
    expected = sum(each.expected for each in by_key.values())
    return ReconciliationOutcome(expected, len(theirs_by_key), len(matched), amount, tuple(discrepancies))


def _differences(our_payment: OurPayment | None, their_payment: TheirPayment | None) -> list[DiscrepancyType]:
    if our_payment is None:
        return [DiscrepancyType.MISSING_OURS]
    if their_payment is None:
        return [DiscrepancyType.MISSING_THEIRS] if our_payment.expected else []
    types = []
    if (our_payment.amount, our_payment.currency) != (their_payment.amount, their_payment.currency):
        types.append(DiscrepancyType.AMOUNT_MISMATCH)
    if their_payment.status not in MATCHING_STATUSES.get(our_payment.status, ()):
        types.append(DiscrepancyType.STATUS_MISMATCH)
    return types
