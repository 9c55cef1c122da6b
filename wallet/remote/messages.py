"""Our own messages to an operator's wallet, and its answers. Pure.

Each request has an id, which its answer repeats, so that no answer counts for another request. Amounts are decimal
strings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.kernel import money, text
from casino.kernel.errors import Refusal
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.refusals import WalletCode
from wallet.remote.state import (
    AcceptedAnswer,
    Answer,
    NoAnswer,
    RefusedAnswer,
    RemoteState,
    RemoteStatus,
    UnclearAnswer,
)

PATHS: Final = {
    TransactionKind.DEBIT: "debit",
    TransactionKind.CREDIT: "credits",
    TransactionKind.CORRECTION: "correction",
}
ROLLBACK: Final = "rollback"
BALANCE: Final = "balance"
TRANSACTIONS: Final = "transactions"
MAX_ITEMS: Final = 100
"""Credits in one message."""
MAX_REFERENCE: Final = 100
_CODES: Final = {code.value: code for code in WalletCode if code is not WalletCode.NOT_IN_PROFILE}
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WalletOrder:
    """What a message is about: a transaction, or the rollback of a debit; and whether it may have been sent before."""

    transaction: UUID
    kind: TransactionKind
    player: UUID
    wager: UUID
    round: UUID
    table: UUID
    amount: int
    currency: str
    concerns: UUID | None
    at: datetime
    reason: RollbackReason | None = None
    repeated: bool = False

    def item(self) -> dict[str, Any]:
        """Return the members that a message has for it."""
        item: dict[str, Any] = {
            "transaction": str(self.transaction),
            "player": str(self.player),
            "amount": money.format_amount(self.amount, self.currency),
            "currency": self.currency,
            "wager": str(self.wager),
            "round": str(self.round),
            "table": str(self.table),
            "at": self.at.isoformat(),
        }
        if self.concerns is not None:
            item["debit"] = str(self.concerns)
        if self.reason is not None:
            item["reason"] = self.reason.value
        return item


@dataclass(frozen=True, slots=True)
class WalletReply:
    """What a wallet says of one transaction, and the player's balance in minor units if it says that, too.

    `said` is what it sent about the transaction.
    """

    answer: Answer
    balance: int | None = None
    said: Document = field(default_factory=dict, compare=False)


def order_of(state: RemoteState, *, repeated: bool) -> WalletOrder:
    """Return what is asked about a transaction: to make it, or to take it back."""
    asked, party = state.requested, state.requested.party
    takes_back = state.status is RemoteStatus.ROLLING_BACK and state.rollback is not None
    return WalletOrder(
        state.rollback if takes_back and state.rollback else asked.transaction,
        asked.kind,
        party.player,
        asked.wager,
        asked.round,
        party.table,
        asked.amount,
        party.currency,
        asked.transaction if takes_back else asked.concerns,
        asked.at,
        state.reason if takes_back else None,
        repeated,
    )


NOTHING: Final = WalletReply(NoAnswer("The answer is not about this transaction."))


def single(payment: WalletOrder, request: UUID) -> dict[str, Any]:
    """Return the body of a message about one payment."""
    return {"request": str(request), **payment.item()}


def batch(payments: Sequence[WalletOrder], request: UUID) -> dict[str, Any]:
    """Return the body of a message about credits of one operator."""
    return {"request": str(request), "items": [payment.item() for payment in payments]}


def read_single(document: object, payment: WalletOrder, request: UUID) -> WalletReply:
    """Return what an answer says of a payment; nothing unless it is an answer to this request."""
    if not isinstance(document, dict) or document.get("request") != str(request):
        return WalletReply(NoAnswer("The answer is to another request."))
    return read_item(document, payment)


def read_batch(document: object, payments: Sequence[WalletOrder], request: UUID) -> dict[UUID, WalletReply]:
    """Return what an answer says of each payment; each item stands for itself, and nothing is said of missing ones."""
    if not isinstance(document, dict) or document.get("request") != str(request):
        return {payment.transaction: WalletReply(NoAnswer("The answer is to another request.")) for payment in payments}
    listed = document.get("items")
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    by_id = {str(item.get("transaction")): item for item in items}
    return {each.transaction: read_item(by_id.get(str(each.transaction), {}), each) for each in payments}


def read_balance(document: object, request: UUID, currency: str) -> int | None:
    """Return a balance in minor units; None unless the answer is to this request and has one."""
    if not isinstance(document, dict) or document.get("request") != str(request):
        return None
    return _balance(document, currency) if document.get("status") == "accepted" else None


def read_item(item: Document, payment: WalletOrder) -> WalletReply:
    """Return what an answer says of a payment in what it has about it."""
    if item.get("transaction") != str(payment.transaction):
        return NOTHING
    answer = _answer(item, payment)
    return WalletReply(answer, None if isinstance(answer, NoAnswer) else _balance(item, payment.currency), item)


def _answer(item: Document, payment: WalletOrder) -> Answer:
    match item.get("status"):
        case "accepted":
            reference, found = item.get("reference"), item.get("found") if payment.reason else True
            if not isinstance(reference, str) or not text.is_reference(reference, limit=MAX_REFERENCE):
                return UnclearAnswer("An accepted transaction needs a reference.")
            if not isinstance(found, bool):
                return UnclearAnswer("A rollback needs `found`.")
            return AcceptedAnswer(reference, found)
        case "refused":
            return RefusedAnswer(_CODES.get(str(item.get("code")), WalletCode.OTHER).value)
        case "temporary":
            return NoAnswer("The status is 'temporary'.")
        case status:
            return UnclearAnswer(f"The status is {str(status)[:40]!r}.")


def _balance(item: Document, currency: str) -> int | None:
    balance = item.get("balance")
    if not isinstance(balance, dict) or balance.get("currency") != currency:
        return None
    try:
        return money.parse(balance.get("amount"), currency)
    except Refusal:
        return None
