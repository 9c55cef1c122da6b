"""Events of manual adjustments of players' accounts. Stream: `adjustment-{id}`.

Amounts are positive minor units, `at` is the database's time. Notes and messages are personal and kept in a separate
table.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.ledger.accounts import AccountKind, debt_account, operator_account, player_account
from wallet.ledger.entries import NewEntry, NewPosting, build_entry, transfer


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


def entry_for(event: AdjustmentEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves.

    The part of a debit that the account does not hold becomes a debt.
    """
    if not isinstance(event, AdjustmentApproved):
        return None
    name: dict[str, Any] = {"operator": event.operator, "money_type": event.money_type, "currency": event.currency}
    adjustments = operator_account(kind=AccountKind.ADJUSTMENTS, **name)
    account = player_account(player=event.player, **name)
    if event.direction is AdjustmentDirection.CREDIT:
        return transfer(kind="adjustment_credit", cause=cause, source=adjustments, target=account, amount=event.amount)
    postings = (
        NewPosting(account, -event.taken),
        NewPosting(debt_account(player=event.player, **name), -event.owed),
        NewPosting(adjustments, event.amount),
    )
    return build_entry(kind="adjustment_debit", cause=cause, postings=postings)
