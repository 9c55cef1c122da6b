"""Our payments of a day beside a provider's records of it. Pure."""

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
"""Which of a provider's states each of ours goes with; any other of ours goes with none."""


@dataclass(frozen=True, slots=True)
class OurPayment:
    """A payment as we have it; `expected` says that the provider must have it too."""

    kind: PaymentKind
    payment: str
    reference: str
    status: str
    amount: int
    currency: str
    expected: bool


@dataclass(frozen=True, slots=True)
class TheirPayment:
    """A payment as the provider has it."""

    kind: PaymentKind
    payment: str
    reference: str
    status: ProviderStatus
    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class PaymentDiscrepancy:
    """One payment about which the sides differ in one way; what a side does not have is None."""

    type: DiscrepancyType
    ours: OurPayment | None
    theirs: TheirPayment | None


@dataclass(frozen=True, slots=True)
class ReconciliationOutcome:
    """A whole day: how many payments each side has, how many agree, what these add up to, and what differs."""

    ours: int
    theirs: int
    matched: int
    amount: int
    discrepancies: tuple[PaymentDiscrepancy, ...]


def compare(ours: Iterable[OurPayment], theirs: Iterable[TheirPayment]) -> ReconciliationOutcome:
    """Compare both sides by kind and our id; a payment that differs in two ways is two differences."""
    here = {(each.kind, each.payment): each for each in ours}
    there = {(each.kind, each.payment): each for each in theirs}
    differences: list[PaymentDiscrepancy] = []
    agreed: list[OurPayment] = []
    for key in sorted(here.keys() | there.keys()):
        mine, other = here.get(key), there.get(key)
        found = _between(mine, other)
        differences.extend(PaymentDiscrepancy(what, mine, other) for what in found)
        if mine is not None and other is not None and not found:
            agreed.append(mine)
    amount = sum(each.amount if each.kind is PaymentKind.DEPOSIT else -each.amount for each in agreed)
    expected = sum(each.expected for each in here.values())
    return ReconciliationOutcome(expected, len(there), len(agreed), amount, tuple(differences))


def _between(mine: OurPayment | None, other: TheirPayment | None) -> list[DiscrepancyType]:
    if mine is None:
        return [DiscrepancyType.MISSING_OURS]
    if other is None:
        return [DiscrepancyType.MISSING_THEIRS] if mine.expected else []
    found = []
    if (mine.amount, mine.currency) != (other.amount, other.currency):
        found.append(DiscrepancyType.AMOUNT_MISMATCH)
    if other.status not in MATCHING_STATUSES.get(mine.status, ()):
        found.append(DiscrepancyType.STATUS_MISMATCH)
    return found
