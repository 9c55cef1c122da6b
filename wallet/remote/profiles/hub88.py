"""The vocabulary of Hub88's wallet API: `transaction/bet`, `transaction/win`, `transaction/rollback`. Pure.

Amounts are integers of 1/100,000 of the currency's main unit.
"""

from typing import Any, Final
from uuid import UUID

from casino.kernel import money
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.messages import Document, WalletOrder, WalletReply
from wallet.remote.profiles.standard import Message
from wallet.remote.refusals import WalletCode
from wallet.remote.state import AcceptedAnswer, Answer, NoAnswer, RefusedAnswer, UnclearAnswer

GAME: Final = "casino_tables"
"""All tables are one game: what is played there is not the wallet's concern."""
DECIMALS: Final = 5
_REFUSED: Final = {
    "RS_ERROR_NOT_ENOUGH_MONEY": WalletCode.INSUFFICIENT_FUNDS,
    "RS_ERROR_USER_DISABLED": WalletCode.PLAYER_DISABLED,
    "RS_ERROR_WRONG_CURRENCY": WalletCode.CURRENCY_DIFFERS,
    "RS_ERROR_LIMIT_REACHED": WalletCode.LIMIT_REACHED,
    "RS_ERROR_DUPLICATE_TRANSACTION": WalletCode.REFERENCE_DIFFERS,
    "RS_ERROR_TRANSACTION_ROLLED_BACK": WalletCode.TRANSACTION_CANCELLED,
    "RS_ERROR_INVALID_TOKEN": WalletCode.PLAYER_UNKNOWN,
    "RS_ERROR_TOKEN_EXPIRED": WalletCode.OTHER,
    "RS_ERROR_INVALID_GAME": WalletCode.OTHER,
    "RS_ERROR_INVALID_PARTNER": WalletCode.OTHER,
    "RS_ERROR_TRANSACTION_DOES_NOT_EXIST": WalletCode.OTHER,
}
"""Statuses that say for certain that nothing was done; every other one but RS_OK leaves that open."""
_ALREADY_DONE: Final = "RS_ERROR_DUPLICATE_TRANSACTION"
"""Of a win that was sent before: our id never has another content, so it is the win that the wallet has."""
_UNKNOWN: Final = "RS_ERROR_UNKNOWN"
"""The wallet does not know either."""
_GONE: Final = {"RS_ERROR_TRANSACTION_DOES_NOT_EXIST": False, "RS_ERROR_TRANSACTION_ROLLED_BACK": True, "RS_OK": True}
"""Statuses that end a rollback, and whether there was the bet as far as they say."""


class Hub88:
    """Hub88's messages. They have no word for taking back a part of a win, and no list of transactions."""

    root = ""
    batches = False
    lists = False

    def can_say(self, order: WalletOrder) -> bool:
        return order.amount >= 0 and money.exponent(order.currency) <= DECIMALS

    def single(self, order: WalletOrder, request: UUID) -> Message:
        document: dict[str, Any] = {
            "user": str(order.player),
            "token": str(order.player),
            "transaction_uuid": str(order.transaction),
            "supplier_transaction_id": str(order.transaction),
            "supplier_user": None,
            "round": str(order.round),
            "round_closed": order.kind is not TransactionKind.DEBIT or order.reason is RollbackReason.ROUND_VOID,
            "request_uuid": str(request),
            "game_code": GAME,
            "meta": {"table": str(order.table), "wager": str(order.wager)},
        }
        if order.concerns is not None:
            document["reference_transaction_uuid"] = str(order.concerns)
        if order.reason is not None:
            return Message("transaction/rollback", document)
        document |= {
            "amount": order.amount * _unit(order.currency),
            "currency": order.currency,
            "is_free": False,
            "is_aggregated": False,
            "bet": None,
            "reward_uuid": None,
        }
        return Message("transaction/bet" if order.kind is TransactionKind.DEBIT else "transaction/win", document)

    def balance(self, player: UUID, currency: str, request: UUID) -> Message:
        del currency  # a user has one
        document = {"user": str(player), "token": str(player), "game_code": GAME, "request_uuid": str(request)}
        return Message("user/balance", document)

    def read_single(self, document: object, order: WalletOrder, request: UUID) -> WalletReply:
        if not isinstance(document, dict) or document.get("request_uuid") != str(request):
            return WalletReply(NoAnswer("The answer is to another request."))
        return self.read_item(document, order)

    def read_item(self, document: Document, order: WalletOrder) -> WalletReply:
        return WalletReply(
            _answer(str(document.get("status")), order), _balance(document, order.currency), said=document
        )

    def read_balance(self, document: object, request: UUID, currency: str) -> int | None:
        if not isinstance(document, dict) or document.get("request_uuid") != str(request):
            return None
        return _balance(document, currency) if document.get("status") == "RS_OK" else None


def _answer(status: str, order: WalletOrder) -> Answer:
    # Both sides know a transaction by one id: the wallet has none of its own.
    reference = str(order.transaction)
    if order.reason is not None:
        if status in _GONE:
            return AcceptedAnswer(reference, _GONE[status])
    elif status == "RS_OK" or (status == _ALREADY_DONE and order.repeated and order.kind is not TransactionKind.DEBIT):
        return AcceptedAnswer(reference)
    elif status in _REFUSED:
        return RefusedAnswer(_REFUSED[status].value)
    return (NoAnswer if status == _UNKNOWN else UnclearAnswer)(f"The status is {status[:60]!r}.")


def _unit(currency: str) -> int:
    return int(10 ** (DECIMALS - money.exponent(currency)))


def _balance(document: Document, currency: str) -> int | None:
    balance = document.get("balance")
    if document.get("currency") != currency or not isinstance(balance, int) or isinstance(balance, bool):
        return None
    if money.exponent(currency) > DECIMALS:
        return None
    units = balance // _unit(currency)  # what is less than the smallest unit cannot be staked
    return units if 0 <= units < money.MAX_AMOUNT else None
