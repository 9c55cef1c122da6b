"""A vocabulary like that of SOFTSWISS: `play` with `actions` of a round, and `rollback`. Pure.

Amounts are integers of the currency's smallest unit. Only what public pages show is used; the guide names the rest.
"""

from typing import Any, Final
from uuid import UUID

from casino.kernel import money, text
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.messages import MAX_REFERENCE, Document, WalletOrder, WalletReply
from wallet.remote.profiles.standard import Message
from wallet.remote.refusals import WalletCode
from wallet.remote.state import AcceptedAnswer, Answer, NoAnswer, RefusedAnswer, UnclearAnswer

GAME: Final = "casino:tables"
"""All tables are one game: what is played there is not the wallet's concern."""
_REFUSED: Final = {
    100: WalletCode.INSUFFICIENT_FUNDS,
    101: WalletCode.PLAYER_UNKNOWN,
    105: WalletCode.LIMIT_REACHED,
    106: WalletCode.LIMIT_REACHED,
    107: WalletCode.OTHER,
    110: WalletCode.PLAYER_DISABLED,
    153: WalletCode.LOCATION_REFUSED,
    405: WalletCode.OTHER,
}
"""Codes that say for certain that nothing was done; every other one leaves that open."""
_TEMPORARY: Final = 500
"""From here on codes say that the wallet does not know either."""
_NOT_ABOUT_IT: Final = WalletReply(NoAnswer("The answer is not about this action."))


class Softswiss:
    """Messages with one action each. They have no word for taking back a part of a win, and no list of transactions."""

    root = ""
    batches = False
    lists = False
    refuses_by_status = True

    def can_say(self, order: WalletOrder) -> bool:
        return order.amount >= 0

    def single(self, order: WalletOrder, request: UUID) -> Message:
        del request  # an answer is known by its action
        action: dict[str, Any] = {"action": "rollback", "action_id": str(order.transaction)}
        if order.reason is not None:
            action["original_action_id"] = str(order.concerns)
        else:
            action |= {"action": "bet" if order.kind is TransactionKind.DEBIT else "win", "amount": order.amount}
        document = {
            **_of(order.player, order.currency),
            "game_id": str(order.round),
            "finished": order.kind is not TransactionKind.DEBIT or order.reason is RollbackReason.ROUND_VOID,
            "actions": [action],
        }
        return Message("play" if order.reason is None else "rollback", document)

    def balance(self, player: UUID, currency: str, request: UUID) -> Message:
        del request
        return Message("play", _of(player, currency))

    def read_single(self, document: object, order: WalletOrder, request: UUID) -> WalletReply:
        del request
        return self.read_item(document, order) if isinstance(document, dict) else _NOT_ABOUT_IT

    def read_item(self, document: Document, order: WalletOrder) -> WalletReply:
        if "code" in document:
            # Some wallets say zero as the balance beside a code: it is not read there.
            return WalletReply(_read_refusal(document["code"]), said=document)
        match document:
            case {"game_id": game, "transactions": [{"action_id": action, "tx_id": int() | str() as known}]} if (
                game,
                action,
            ) == (str(order.round), str(order.transaction)) and not isinstance(known, bool):
                return WalletReply(_accepted(str(known), order), _balance(document), document)
            case _:
                return _NOT_ABOUT_IT

    def read_balance(self, document: object, request: UUID, currency: str) -> int | None:
        del request, currency
        refused = isinstance(document, dict) and "code" in document
        return None if refused else _balance(document)


def _of(player: UUID, currency: str) -> dict[str, Any]:
    return {"user_id": str(player), "currency": currency, "game": GAME}


def _accepted(reference: str, order: WalletOrder) -> Answer:
    if reference and not text.is_reference(reference, limit=MAX_REFERENCE):
        return UnclearAnswer("The `tx_id` is malformed.")
    if order.reason is not None:  # of a bet that the wallet does not know there is nothing to roll back
        return AcceptedAnswer(reference or str(order.transaction), found=bool(reference))
    return AcceptedAnswer(reference) if reference else UnclearAnswer("An action needs a `tx_id`.")


def _read_refusal(code: object) -> Answer:
    if isinstance(code, int) and code in _REFUSED:
        return RefusedAnswer(_REFUSED[code].value)
    is_temporary = isinstance(code, int) and code >= _TEMPORARY
    return (NoAnswer if is_temporary else UnclearAnswer)(f"The code is {str(code)[:40]!r}.")


def _balance(document: object) -> int | None:
    balance = document.get("balance") if isinstance(document, dict) else None
    if not isinstance(balance, int) or isinstance(balance, bool):
        return None
    return balance if 0 <= balance < money.MAX_AMOUNT else None
