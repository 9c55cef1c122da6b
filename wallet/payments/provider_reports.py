"""A provider's report about one payment, from a response or a callback. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class PaymentKind(StrEnum):
    """Direction of a payment."""

    DEPOSIT = "deposit"
    PAYOUT = "payout"


class ProviderStatus(StrEnum):
    """Status of a payment at the provider. A payout that came back is `reversed`, too."""

    PENDING = "pending"
    FAILED = "failed"
    COMPLETED = "completed"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """A report: `payment` is our id, `reference` the provider's, `amount` in minor units."""

    kind: PaymentKind
    payment: UUID
    reference: str
    status: ProviderStatus
    amount: int
    currency: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """One payment in a provider's records of a period; `payment` may be unknown to us."""

    kind: PaymentKind
    payment: str
    reference: str
    status: ProviderStatus
    amount: int
    currency: str
    at: datetime


class ImplausibleReport(Exception):
    """A report that contradicts our payment and changes nothing; `code` names the contradiction for staff."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def require_matching(report: ProviderReport, *, reference: str | None, amount: int, currency: str) -> None:
    """Check that a report matches its payment. Raises ImplausibleReport."""
    if not report.reference:
        raise ImplausibleReport("reference_missing")
    if reference is not None and report.reference != reference:
        raise ImplausibleReport("reference_differs")
    if (report.amount, report.currency) != (amount, currency):
        raise ImplausibleReport("amount_mismatch")
