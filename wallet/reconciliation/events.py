"""Events of reconciliation with providers. Streams: `reconciliation-{run}`, `discrepancy-{id}`.

A run is one day of one operator with one provider in one currency; the day is that of the operator's time zone.
Amounts are minor units, `at` is the database's time. Notes are personal and not in events.
"""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

NAMESPACE: Final = UUID("3f4a6c1d-8b52-4f0e-9d7a-5c2e8b1f6a90")
"""Changing it would change the id of every run and discrepancy."""


class DiscrepancyType(StrEnum):
    """How both records of a payment differ; of a message that is not applied, their side may be unreadable."""

    MISSING_OURS = "missing_ours"
    MISSING_THEIRS = "missing_theirs"
    AMOUNT_MISMATCH = "amount_mismatch"
    STATUS_MISMATCH = "status_mismatch"
    MESSAGE_UNAPPLIED = "message_unapplied"


class DiscrepancyResolution(StrEnum):
    """How a discrepancy was resolved."""

    TIMING = "timing"
    PROVIDER_CORRECTED = "provider_corrected"
    CASINO_CORRECTED = "casino_corrected"
    ACCEPTED = "accepted"
    WRITTEN_OFF = "written_off"


@dataclass(frozen=True, slots=True)
class ReconciliationCompleted:
    """A day was compared for the first time, or with another outcome than before.

    `ours` and `theirs` count payments, `matched` those that agree; `amount` is the sum of these, deposits less payouts.
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
class DiscrepancyDetected:
    """A payment differs: for the first time, again after it had matched, or in another way than before.

    `kind` is deposit or payout. Fields of a missing record are None; of a message about a payment that nobody knows so
    are `kind` and, unless one operator alone has its provider, `operator`.
    """

    discrepancy: UUID
    run: UUID
    operator: UUID | None
    provider: str
    currency: str
    day: date
    kind: str | None
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
    """A later comparison of the day no longer found it."""

    discrepancy: UUID
    operator: UUID | None
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscrepancyAssigned:
    """`by` assigned it to `owner`."""

    discrepancy: UUID
    operator: UUID | None
    owner: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DiscrepancyResolved:
    """`by` resolved it."""

    discrepancy: UUID
    operator: UUID | None
    resolution: DiscrepancyResolution
    by: str
    at: datetime


DiscrepancyEvent = DiscrepancyDetected | DiscrepancyCleared | DiscrepancyAssigned | DiscrepancyResolved
ReconciliationEvent = ReconciliationCompleted | DiscrepancyEvent


def run_id(*, operator: UUID | None, provider: str, currency: str, day: date) -> UUID:
    """Compute the id of a run, a version-5 UUID (RFC 9562)."""
    return uuid5(NAMESPACE, f"{operator}/{provider}/{currency}/{day.isoformat()}")


def discrepancy_id(*, run: UUID, kind: str | None, payment: str, discrepancy_type: DiscrepancyType) -> UUID:
    """Compute the id of a discrepancy: the same each time that it is found."""
    return uuid5(NAMESPACE, f"{run}/{kind}/{payment}/{discrepancy_type}")


def reconciliation_stream(run: UUID) -> str:
    return f"reconciliation-{run}"


def discrepancy_stream(discrepancy: UUID) -> str:
    return f"discrepancy-{discrepancy}"


def stream_of(event: ReconciliationEvent) -> str:
    """Name the stream that an event belongs to."""
    if isinstance(event, ReconciliationCompleted):
        return reconciliation_stream(event.run)
    return discrepancy_stream(event.discrepancy)
