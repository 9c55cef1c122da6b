"""What happens to a correction of a player's account by hand. Stream: `adjustment-{id}`.

Amounts are minor units above zero, `at` is the database's clock. Why in words, and what the player is told, are
personal and stay outside: a table of their own keeps them.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from casino.kernel.money import MoneyType


class Direction(StrEnum):
    """Which way the money goes, as the player sees it."""

    CREDIT = "credit"
    DEBIT = "debit"


class AdjustmentReason(StrEnum):
    """Why an account is corrected: what reports add up by."""

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
    """`requested_by` asked for an account to be corrected; nothing has moved."""

    adjustment: UUID
    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    direction: Direction
    amount: int
    reason: AdjustmentReason
    requested_by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AdjustmentApproved:
    """Another agreed, and the money moved. Of a debit, `taken` was there and `owed` is a debt from now on."""

    adjustment: UUID
    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    direction: Direction
    amount: int
    taken: int
    owed: int
    approved_by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AdjustmentRejected:
    """Another refused; nothing has moved."""

    adjustment: UUID
    operator: UUID
    rejected_by: str
    at: datetime


AdjustmentEvent = AdjustmentRequested | AdjustmentApproved | AdjustmentRejected


def adjustment_stream(adjustment: UUID) -> str:
    return f"adjustment-{adjustment}"
