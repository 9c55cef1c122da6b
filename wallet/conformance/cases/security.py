"""Messages that somebody else sent or changed, and answers that prove whose they are."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from wallet.conformance.kit import STANDARD, Group, case
from wallet.conformance.probe import STAKE, CaseFailed, Headers, Probe, accepted, require
from wallet.remote import messages
from wallet.remote.events import TransactionKind
from wallet.remote.messages import WalletOrder
from wallet.remote.signing import signed_headers

_UNSIGNED = {"Content-Type": "application/json"}
SAYS_YES = re.compile(rb'"accepted"|"RS_OK"|"tx_id"')
"""What an answer in any profile has only if something was done."""


@case(Group.SECURITY)
def a_message_without_a_signature_does_nothing(wallet: Probe) -> None:
    order = wallet.order(TransactionKind.DEBIT)
    _does_nothing(wallet, order, wallet.message(order)[1], _UNSIGNED)


@case(Group.SECURITY, STANDARD)
def a_message_signed_by_another_key_does_nothing(wallet: Probe) -> None:
    order, body = _debit(wallet)
    _does_nothing(wallet, order, body, _headers(wallet, body, key=Ed25519PrivateKey.generate()))


@case(Group.SECURITY, STANDARD)
def a_message_by_another_key_under_the_name_of_ours_does_nothing(wallet: Probe) -> None:
    order, body = _debit(wallet)
    ours, theirs = _headers(wallet, body), _headers(wallet, body, key=Ed25519PrivateKey.generate())
    _does_nothing(wallet, order, body, {**theirs, "Signature-Input": ours["Signature-Input"]})


@case(Group.SECURITY)
def a_message_whose_body_was_changed_does_nothing(wallet: Probe) -> None:
    signed, (order, body) = _debit(wallet)[1], _debit(wallet)
    _does_nothing(wallet, order, body, _headers(wallet, signed))


@case(Group.SECURITY, STANDARD)
def a_changed_body_with_a_digest_of_its_own_does_nothing(wallet: Probe) -> None:
    signed, (order, body) = _debit(wallet)[1], _debit(wallet)
    digest = _headers(wallet, body)["Content-Digest"]
    _does_nothing(wallet, order, body, {**_headers(wallet, signed), "Content-Digest": digest})


@case(Group.SECURITY, STANDARD)
def a_signature_for_another_address_does_nothing(wallet: Probe) -> None:
    order, body = _debit(wallet)
    _does_nothing(wallet, order, body, signed_headers("POST", wallet.address(messages.BALANCE), body))


@case(Group.SECURITY, STANDARD)
def a_signature_that_has_expired_does_nothing(wallet: Probe) -> None:
    order, body = _debit(wallet)
    _does_nothing(wallet, order, body, _headers(wallet, body, now=datetime.now(UTC) - timedelta(minutes=10)))


@case(Group.SECURITY, STANDARD)
def a_signature_of_the_future_does_nothing(wallet: Probe) -> None:
    order, body = _debit(wallet)
    _does_nothing(wallet, order, body, _headers(wallet, body, now=datetime.now(UTC) + timedelta(minutes=10)))


@case(Group.SECURITY)
def the_same_bytes_again_move_nothing_more(wallet: Probe) -> None:
    path, body = wallet.message(wallet.order(TransactionKind.DEBIT, 1))
    url = wallet.address(path)
    headers = wallet.wallet.headers("POST", url, body)
    with wallet.moves(-1):
        for _ in range(2):
            wallet.exchange("POST", url, headers, body)


@case(Group.SECURITY, STANDARD)
def transactions_are_not_listed_without_a_signature(wallet: Probe) -> None:
    debit = wallet.debit()
    url = f"{wallet.address(messages.TRANSACTIONS)}?transaction={debit.transaction}"
    answer = wallet.exchange("GET", url, {}, b"")
    require(answer is not None and answer.status >= 400, "The list was shown.")
    require(answer is not None and str(debit.transaction).encode() not in answer.body, "The list was shown.")


@case(Group.SECURITY, STANDARD)
def every_answer_is_signed(wallet: Probe) -> None:
    for path, document in _one_of_each(wallet):
        try:
            wallet.ask(path, document)
        except CaseFailed as error:
            raise CaseFailed(f"{path}: {error}") from None
    try:
        wallet.list({"transaction": str(uuid4())})
    except CaseFailed as error:
        raise CaseFailed(f"{messages.TRANSACTIONS}: {error}") from None


@case(Group.SECURITY, STANDARD)
def every_answer_repeats_the_id_of_its_request(wallet: Probe) -> None:
    for path, document in _one_of_each(wallet):
        answer = wallet.ask(path, document)
        request = answer.get("request") if isinstance(answer, dict) else None
        require(request == document["request"], f"{path}: `request` is {request!r}.")


@case(Group.SECURITY, STANDARD)
def every_answer_repeats_its_transaction(wallet: Probe) -> None:
    for path, document in _one_of_each(wallet):
        answer, sent = wallet.ask(path, document), document.get("transaction")
        require(answer.get("transaction") == sent, f"{path}: `transaction` is not {sent}.")
        sent = [item["transaction"] for item in document.get("items", ())]
        listed = [item.get("transaction") for item in answer.get("items", ())]
        require(sorted(map(str, listed)) == sorted(sent), f"{path}: `items` are about other transactions.")


def _one_of_each(wallet: Probe) -> list[tuple[str, Mapping[str, Any]]]:
    """Return a message of each kind with its path, also one that is refused, none of which leaves anything."""
    debit = wallet.debit()
    credited = wallet.debit()
    refused = wallet.order(TransactionKind.DEBIT, player=uuid4())
    credit = messages.batch([wallet.credit_of(credited)], uuid4())
    balance = {"request": str(uuid4()), "player": str(wallet.player), "currency": wallet.currency}
    again = messages.single(debit, uuid4())
    return [
        (messages.BALANCE, balance),
        (messages.PATHS[TransactionKind.DEBIT], again),
        (messages.PATHS[TransactionKind.DEBIT], messages.single(refused, uuid4())),
        (messages.PATHS[TransactionKind.CREDIT], credit),
        (
            messages.PATHS[TransactionKind.CORRECTION],
            messages.single(wallet.order(TransactionKind.CORRECTION, 1, of=credited), uuid4()),
        ),
        (messages.ROLLBACK, messages.single(wallet.rollback_of(debit), uuid4())),
    ]


def _debit(wallet: Probe) -> tuple[WalletOrder, bytes]:
    order = wallet.order(TransactionKind.DEBIT)
    return order, wallet.message(order)[1]


def _headers(
    wallet: Probe, body: bytes, *, key: Ed25519PrivateKey | None = None, now: datetime | None = None
) -> Headers:
    url = wallet.address(wallet.message(wallet.order(TransactionKind.DEBIT))[0])
    return (
        signed_headers("POST", url, body, key=key, now=now) if key or now else wallet.wallet.headers("POST", url, body)
    )


def _does_nothing(wallet: Probe, order: WalletOrder, body: bytes, headers: Headers) -> None:
    """Check that a debit is neither made nor answered as made, and that the right one is still possible."""
    path, _ = wallet.message(order)
    with wallet.moves(0):
        answer = wallet.post(path, body, headers)
    require(answer is not None and not SAYS_YES.search(answer.body), "It was answered as accepted.")
    with wallet.moves(-STAKE):
        accepted(wallet.send(order))
