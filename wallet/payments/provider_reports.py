"""What a provider says about one payment, whichever way it says it: in an answer or in a callback."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class PaymentKind(StrEnum):
    """Which way the money goes."""

    DEPOSIT = "deposit"
    PAYOUT = "payout"


class ProviderStatus(StrEnum):
    """What has become of a payment, in the provider's eyes. `reversed` is a payout that came back, too."""

    PENDING = "pending"
    FAILED = "failed"
    COMPLETED = "completed"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """One statement of a provider: `payment` is our id, `reference` the provider's, `amount` in minor units."""

    kind: PaymentKind
    payment: UUID
    reference: str
    status: ProviderStatus
    amount: int
    currency: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProviderRecord:
    """One payment as a provider's list of a period tells it; `payment` is maybe none of ours."""

    kind: PaymentKind
    payment: str
    reference: str
    status: ProviderStatus
    amount: int
    currency: str
    at: datetime


class ImplausibleReport(Exception):
    """A report that contradicts what we know, and changes nothing; `code` says how, for staff."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def require_matching(report: ProviderReport, *, reference: str | None, amount: int, currency: str) -> None:
    """Compare a report with the payment it is about. Raises Implausible."""
    if not report.reference:
        raise ImplausibleReport("reference_missing")
    if reference is not None and report.reference != reference:
        raise ImplausibleReport("reference_differs")
    if (report.amount, report.currency) != (amount, currency):
        raise ImplausibleReport("amount_mismatch")
