"""What a provider says about one payment, whichever way it says it: in an answer or in a callback."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Kind(StrEnum):
    """Which way the money goes."""

    DEPOSIT = "deposit"
    PAYOUT = "payout"


class Said(StrEnum):
    """What has become of a payment, in the provider's eyes. `reversed` is a payout that came back, too."""

    PENDING = "pending"
    FAILED = "failed"
    COMPLETED = "completed"
    REVERSED = "reversed"


@dataclass(frozen=True, slots=True)
class Report:
    """One statement of a provider: `payment` is our id, `reference` the provider's, `amount` in minor units."""

    kind: Kind
    payment: UUID
    reference: str
    said: Said
    amount: int
    currency: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One payment as a provider's list of a period tells it; `payment` is maybe none of ours."""

    kind: Kind
    payment: str
    reference: str
    said: Said
    amount: int
    currency: str
    at: datetime


class Implausible(Exception):
    """A report that contradicts what we know, and changes nothing; `code` says how, for staff."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def compare(report: Report, *, reference: str | None, amount: int, currency: str) -> None:
    """Compare a report with the payment it is about. Raises Implausible."""
    if not report.reference:
        raise Implausible("reference_missing")
    if reference is not None and report.reference != reference:
        raise Implausible("reference_differs")
    if (report.amount, report.currency) != (amount, currency):
        raise Implausible("amount_differs")
