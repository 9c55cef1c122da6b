"""What comes of comparing a provider's records with ours. Streams: `reconciliation-{run}`, `discrepancy-{id}`.

A run is one day of one operator with one provider in one currency; the day begins where the operator counts its days.
Amounts are minor units, `at` is the database's clock. Words about a difference are personal and stay outside.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

NAMESPACE: Final = UUID("3f4a6c1d-8b52-4f0e-9d7a-5c2e8b1f6a90")
"""Fixed for ever: changing it would change the id of every run and difference."""


class DiscrepancyType(StrEnum):
    """How the provider's records and ours differ about one payment."""

    MISSING_OURS = "missing_ours"
    MISSING_THEIRS = "missing_theirs"
    AMOUNT_MISMATCH = "amount_mismatch"
    STATUS_MISMATCH = "status_mismatch"


class Resolution(StrEnum):
    """What became of a difference."""

    TIMING = "timing"
    PROVIDER_CORRECTED = "provider_corrected"
    CASINO_CORRECTED = "casino_corrected"
    ACCEPTED = "accepted"
    WRITTEN_OFF = "written_off"


@dataclass(frozen=True, slots=True)
class ReconciliationCompleted:
    """A day was compared, and came out otherwise than the last time, or for the first time.

    `ours` and `theirs` count payments, `matched` those that agree; `amount` is what these add up to, deposits less
    payouts; `discrepancies` counts what differs.
    """

    run: UUID
    operator: UUID
    provider: str
    currency: str
    day: date
    since: datetime
    until: datetime
    ours: int
    theirs: int
    matched: int
    amount: int
    discrepancies: int
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscrepancyFound:
    """A payment differs: for the first time, once more after it had agreed, or in another way than it did.

    `kind` is deposit or payout. What a side does not have is None.
    """

    discrepancy: UUID
    run: UUID
    operator: UUID
    provider: str
    currency: str
    day: date
    kind: str
    payment: str
    reference: str
    type: DiscrepancyType
    our_amount: int | None
    our_status: str | None
    their_amount: int | None
    their_currency: str | None
    their_status: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscrepancyCleared:
    """A later comparison of the day finds nothing the matter any more."""

    discrepancy: UUID
    operator: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscrepancyAssigned:
    """`owner` looks into it from now on, as `by` says."""

    discrepancy: UUID
    operator: UUID
    owner: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscrepancyResolved:
    """`by` says what became of it."""

    discrepancy: UUID
    operator: UUID
    resolution: Resolution
    by: str
    at: datetime


DiscrepancyEvent = DiscrepancyFound | DiscrepancyCleared | DiscrepancyAssigned | DiscrepancyResolved
ReconciliationEvent = ReconciliationCompleted | DiscrepancyEvent


def run_id(*, operator: UUID, provider: str, currency: str, day: date) -> UUID:
    """Return the id of a run: a version-5 UUID (RFC 9562) of what it is a run of."""
    return uuid5(NAMESPACE, f"{operator}/{provider}/{currency}/{day.isoformat()}")


def discrepancy_id(*, run: UUID, kind: str, payment: str, type: DiscrepancyType) -> UUID:
    """Return the id of a difference: the same each time that the same thing is found."""
    return uuid5(NAMESPACE, f"{run}/{kind}/{payment}/{type}")


def reconciliation_stream(run: UUID) -> str:
    return f"reconciliation-{run}"


def discrepancy_stream(discrepancy: UUID) -> str:
    return f"discrepancy-{discrepancy}"


def stream_of(event: ReconciliationEvent) -> str:
    """Name the stream that an event belongs to."""
    if isinstance(event, ReconciliationCompleted):
        return reconciliation_stream(event.run)
    return discrepancy_stream(event.discrepancy)
