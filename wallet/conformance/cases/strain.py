"""Many messages at once, and connections that break."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import httpx

from wallet.conformance.kit import STANDARD, Group, case
from wallet.conformance.probe import STAKE, Probe, accepted, refused, require
from wallet.remote.events import TransactionKind
from wallet.remote.messages import WalletOrder, WalletReply
from wallet.remote.signing import signed_headers
from wallet.remote.state import AcceptedAnswer

MANY = 50


@case(Group.CONCURRENCY)
def fifty_equal_debits_at_once_take_once(wallet: Probe) -> None:
    with wallet.moves(-STAKE):
        replies = _at_once(wallet.send, [wallet.order(TransactionKind.DEBIT)] * MANY)
    references = {accepted(reply).reference for reply in replies}
    require(len(references) == 1, f"There are {len(references)} references.")


@case(Group.CONCURRENCY)
def of_fifty_debits_at_once_on_money_for_ten_ten_are_taken(wallet: Probe) -> None:
    amount = wallet.balance() // 10
    orders = [wallet.order(TransactionKind.DEBIT, amount) for _ in range(MANY)]
    with wallet.moves(-10 * amount):
        replies = _at_once(wallet.send, orders)
    taken = [reply for reply in replies if isinstance(reply.answer, AcceptedAnswer)]
    require(len(taken) == 10, f"{len(taken)} were accepted.")
    for reply in replies:
        if reply not in taken:
            refused(reply, "insufficient_funds")


@case(Group.CONCURRENCY)
def fifty_equal_credits_at_once_are_paid_once(wallet: Probe) -> None:
    credit = wallet.credit_of(wallet.debit())
    with wallet.moves(STAKE):
        for reply in _at_once(wallet.send, [credit] * MANY):
            accepted(reply)


@case(Group.CONCURRENCY)
def fifty_equal_rollbacks_at_once_return_once(wallet: Probe) -> None:
    with wallet.moves(0):
        rollback = wallet.rollback_of(wallet.debit())
        for reply in _at_once(wallet.send, [rollback] * MANY):
            require(accepted(reply).found, "`found` is false, and there was the debit.")


@case(Group.CONCURRENCY)
def debits_and_their_rollbacks_at_once_leave_the_balance(wallet: Probe) -> None:
    debits = [wallet.order(TransactionKind.DEBIT, 1) for _ in range(MANY // 2)]
    pairs = list(chain.from_iterable((debit, wallet.rollback_of(debit)) for debit in debits))
    with wallet.moves(0):
        replies = _at_once(wallet.send, pairs)
    for order, reply in zip(pairs, replies, strict=True):
        if order.reason is not None:
            accepted(reply)


@case(Group.CONCURRENCY)
def debits_and_credits_at_once_add_up(wallet: Probe) -> None:
    owed = [wallet.credit_of(wallet.debit(1), 3) for _ in range(MANY // 2)]
    debits = [wallet.order(TransactionKind.DEBIT, 1) for _ in owed]
    with wallet.moves(2 * len(owed)):
        for reply in _at_once(wallet.send, [*owed, *debits]):
            accepted(reply)


@case(Group.RECOVERY)
def a_debit_whose_answer_was_lost_is_rolled_back(wallet: Probe) -> None:
    debit = wallet.order(TransactionKind.DEBIT)
    with wallet.moves(0):
        _lose_answer(wallet, debit)
        accepted(wallet.send(wallet.rollback_of(debit)))
        refused(wallet.send(debit), "transaction_cancelled")


@case(Group.RECOVERY)
def a_credit_whose_answer_was_lost_is_paid_once(wallet: Probe) -> None:
    credit = wallet.credit_of(wallet.debit())
    with wallet.moves(STAKE):
        _lose_answer(wallet, credit)
        accepted(wallet.send(credit))
        accepted(wallet.send(credit))


@case(Group.RECOVERY, STANDARD)
def a_debit_that_breaks_off_is_not_taken(wallet: Probe) -> None:
    debit = wallet.order(TransactionKind.DEBIT)
    path, body = wallet.message(debit)
    url = wallet.address(path)
    headers = {**signed_headers("POST", url, body), "Content-Length": str(len(body))}

    def half() -> Generator[bytes]:
        yield body[: len(body) // 2]
        raise httpx.WriteError("broken off")

    with wallet.moves(0):
        wallet.exchange("POST", url, headers, body, content=half)
        require(not accepted(wallet.send(wallet.rollback_of(debit))).found, "Half of a message was taken.")


@case(Group.RECOVERY, STANDARD)
def a_malformed_message_stops_nothing(wallet: Probe) -> None:
    for body in (b"{", b"[]", b"null", b'{"request": 1}', b"\xff\xfe"):
        with wallet.moves(0):
            answer = wallet.post("debit", body)
        require(answer is None or b'"accepted"' not in answer.body, f"{body!r} was accepted.")


def _at_once(send: Callable[[WalletOrder], WalletReply], orders: Sequence[WalletOrder]) -> list[WalletReply]:
    with ThreadPoolExecutor(len(orders)) as pool:
        return list(pool.map(send, orders))


def _lose_answer(wallet: Probe, order: WalletOrder) -> None:
    """Send a message and close the connection before it is answered."""
    path, body = wallet.message(order)
    url = wallet.address(path)
    wallet.exchange("POST", url, wallet.wallet.headers("POST", url, body), body, seconds=0.0001)
