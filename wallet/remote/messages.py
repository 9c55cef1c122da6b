"""Our own messages to an operator's wallet, and its answers. Pure.

Each request has an id, which its answer repeats, so that no answer counts for another request. Amounts are decimal
strings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from casino.kernel import money, text
from casino.kernel.errors import Refusal
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.refusals import WalletCode
from wallet.remote.state import AcceptedAnswer, Answer, NoAnswer, RefusedAnswer

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
    """What a wallet says of one transaction, and the player's balance in minor units if it says that, too."""

    answer: Answer
    balance: int | None = None


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
    return _read_item(document, payment)


def read_batch(document: object, payments: Sequence[WalletOrder], request: UUID) -> dict[UUID, WalletReply]:
    """Return what an answer says of each payment; each item stands for itself, and nothing is said of missing ones."""
    if not isinstance(document, dict) or document.get("request") != str(request):
        return {payment.transaction: WalletReply(NoAnswer("The answer is to another request.")) for payment in payments}
    listed = document.get("items")
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    by_id = {str(item.get("transaction")): item for item in items}
    return {each.transaction: _read_item(by_id.get(str(each.transaction), {}), each) for each in payments}


def read_balance(document: object, request: UUID, currency: str) -> int | None:
    """Return a balance in minor units; None unless the answer is to this request and has one."""
    if not isinstance(document, dict) or document.get("request") != str(request):
        return None
    return _balance(document, currency) if document.get("status") == "accepted" else None


def _read_item(item: Document, payment: WalletOrder) -> WalletReply:
    if item.get("transaction") != str(payment.transaction):
        return NOTHING
    balance = _balance(item, payment.currency)
    match item.get("status"):
        case "accepted":
            reference, found = item.get("reference"), item.get("found") if payment.reason else True
            if not isinstance(reference, str) or not text.is_reference(reference, limit=MAX_REFERENCE):
                return WalletReply(NoAnswer("An accepted transaction needs a reference."))
            if not isinstance(found, bool):
                return WalletReply(NoAnswer("A rollback needs `found`."))
            return WalletReply(AcceptedAnswer(reference, found), balance)
        case "refused":
            return WalletReply(RefusedAnswer(_CODES.get(str(item.get("code")), WalletCode.OTHER).value), balance)
        case status:
            return WalletReply(NoAnswer(f"The status is {str(status)[:40]!r}."))


def _balance(item: Document, currency: str) -> int | None:
    balance = item.get("balance")
    if not isinstance(balance, dict) or balance.get("currency") != currency:
        return None
    try:
        return money.parse(balance.get("amount"), currency)
    except Refusal:
        return None
