"""The entries that follow from adjustments. Pure."""

from typing import Any

from wallet.adjustments.events import AdjustmentApproved, AdjustmentDirection, AdjustmentEvent
from wallet.ledger.accounts import AccountKind, debt_account, operator_account, player_account
from wallet.ledger.entries import NewEntry, NewPosting, build_entry, transfer


def entry_for(event: AdjustmentEvent, cause: int) -> NewEntry | None:
    """Return the entry that follows from an event with id `cause`, or None where no money moves.

    Of a debit, what the account does not hold becomes a debt.
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
