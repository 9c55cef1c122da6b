"""Events of manual adjustments of players' accounts. Stream: `adjustment-{id}`.

Amounts are positive minor units, `at` is the database's time. Notes and messages are personal and kept in a separate
table.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from casino.kernel.money import MoneyType


class AdjustmentDirection(StrEnum):
    """Direction of the money, as the player sees it."""

    CREDIT = "credit"
    DEBIT = "debit"


class AdjustmentReason(StrEnum):
    """Reason of an adjustment, by which reports add up."""

    CORRECTION = "correction"
    COMPLAINT = "complaint"
    GOODWILL = "goodwill"
    PROMOTION = "promotion"
    PAYMENT = "payment"
    ABUSE = "abuse"
    DORMANT = "dormant"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class AdjustmentRequested:
    """`requested_by` requested an adjustment; no money has moved."""

    adjustment: UUID
    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    direction: AdjustmentDirection
    amount: int
    reason: AdjustmentReason
    requested_by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AdjustmentApproved:
    """Another person approved and the money moved. Of a debit, `taken` left the account and `owed` became a debt."""

    adjustment: UUID
    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    direction: AdjustmentDirection
    amount: int
    taken: int
    owed: int
    approved_by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AdjustmentRejected:
    """Another person rejected it; no money has moved."""

    adjustment: UUID
    operator: UUID
    rejected_by: str
    at: datetime


AdjustmentEvent = AdjustmentRequested | AdjustmentApproved | AdjustmentRejected


def adjustment_stream(adjustment: UUID) -> str:
    return f"adjustment-{adjustment}"
