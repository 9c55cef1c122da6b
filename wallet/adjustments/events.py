"""Manual adjustments of players' accounts: their event and their entry. Stream: `adjustment-{id}`.

Amounts are positive minor units, `at` is the database's time.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from casino.kernel.money import MoneyType
from wallet.adjustments.refusals import NoDebtInPlayMoney
from wallet.ledger.accounts import AccountKind, AccountName, debt_account, operator_account, player_account
from wallet.ledger.entries import NewEntry, NewPosting, build_entry, transfer
from wallet.ledger.refusals import InsufficientFunds


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
class AdjustmentPosted:
    """Two persons agreed on the change of this id, and the money moved.

    Of a debit, `taken` left the account and `owed` became a debt. A credit beyond the cap of the day was held until
    compliance, `released_by`, agreed on the change of this id. `note`, for staff, and `message`, for the player, are
    encrypted under the player's key.
    """

    adjustment: UUID
    operator: UUID
    player: UUID
    money_type: MoneyType
    currency: str
    direction: AdjustmentDirection
    amount: int
    taken: int
    owed: int
    reason: AdjustmentReason
    note: str
    message: str
    requested_by: str
    approved_by: str
    at: datetime
    released_by: tuple[str, ...] = ()


def adjustment_stream(adjustment: UUID) -> str:
    return f"adjustment-{adjustment}"


def split_debit(account: AccountName, amount: int, *, available: int, as_debt: bool) -> tuple[int, int]:
    """Return what a debit takes from an account and what becomes a debt: nothing, unless `as_debt`.

    Raises InsufficientFunds, NoDebtInPlayMoney.
    """
    taken = min(amount, max(available, 0))
    if taken < amount and not as_debt:
        raise InsufficientFunds(account=account, balance=available, needed=amount)
    if taken < amount and account.money_type is not MoneyType.REAL:
        raise NoDebtInPlayMoney
    return taken, amount - taken


def entry_for(event: AdjustmentPosted, cause: int) -> NewEntry:
    """Return the entry that follows from an event with id `cause`.

    The part of a debit that the account does not hold becomes a debt.
    """
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
