"""What an evening of play asks of a wallet, and the amounts at its edges."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import msgspec

from casino.kernel import money
from casino.kernel.errors import Refusal
from wallet.conformance.kit import STANDARD, Group, case
from wallet.conformance.probe import STAKE, CaseFailed, Probe, accepted, refused, require
from wallet.payments.provider_reports import ProviderRecord, ProviderStatus
from wallet.remote import messages
from wallet.remote.events import TransactionKind
from wallet.remote.statements import read_page

_MARGIN = timedelta(minutes=2)
"""How far the wallet's clock may be from ours in a list of a period."""


@case(Group.HAPPY)
def a_balance_is_answered(wallet: Probe) -> None:
    require(wallet.balance() >= 0, "The balance is below zero.")


@case(Group.HAPPY)
def a_debit_takes_its_amount(wallet: Probe) -> None:
    with wallet.moves(-STAKE):
        wallet.debit()


@case(Group.HAPPY)
def a_credit_pays_its_amount(wallet: Probe) -> None:
    debit = wallet.debit()
    with wallet.moves(195):
        accepted(wallet.send(wallet.credit_of(debit, 195)))


@case(Group.HAPPY)
def a_credit_of_nothing_is_accepted(wallet: Probe) -> None:
    debit = wallet.debit(1)
    with wallet.moves(0):
        accepted(wallet.send(wallet.credit_of(debit, 0)))


@case(Group.HAPPY, STANDARD)
def credits_in_one_message_are_each_paid_and_answered(wallet: Probe) -> None:
    orders = [wallet.credit_of(wallet.debit(), amount) for amount in (0, 100, 200)]
    with wallet.moves(300):
        replies = wallet.send_credits(orders)
    references = {accepted(reply).reference for reply in replies.values()}
    require(len(references) == len(orders), "Two credits have the same reference.")


@case(Group.HAPPY)
def a_rollback_returns_a_debit(wallet: Probe) -> None:
    with wallet.moves(0):
        debit = wallet.debit()
        require(accepted(wallet.send(wallet.rollback_of(debit))).found, "`found` is false, and there was the debit.")


@case(Group.HAPPY, STANDARD)
def a_correction_takes_back_what_was_paid(wallet: Probe) -> None:
    debit = wallet.debit()
    accepted(wallet.send(wallet.credit_of(debit, 2 * STAKE)))
    with wallet.moves(-STAKE):
        accepted(wallet.send(wallet.order(TransactionKind.CORRECTION, -STAKE, of=debit)))


@case(Group.HAPPY)
def a_correction_pays_what_was_not_paid(wallet: Probe) -> None:
    debit = wallet.debit()
    accepted(wallet.send(wallet.credit_of(debit, 0)))
    with wallet.moves(STAKE):
        accepted(wallet.send(wallet.order(TransactionKind.CORRECTION, STAKE, of=debit)))


@case(Group.HAPPY, STANDARD)
def a_debit_is_listed_by_its_transaction(wallet: Probe) -> None:
    order = wallet.order(TransactionKind.DEBIT)
    reference = accepted(wallet.send(order)).reference
    (item,) = _listed(wallet, transaction=str(order.transaction))
    facts = (item.payment, item.reference, item.amount, item.currency, item.status)
    expected = (str(order.transaction), reference, STAKE, wallet.currency, ProviderStatus.COMPLETED)
    require(facts == expected, f"The list says {facts} instead of {expected}.")


@case(Group.HAPPY, STANDARD)
def a_debit_that_was_rolled_back_is_listed_as_such(wallet: Probe) -> None:
    debit = wallet.debit()
    accepted(wallet.send(wallet.rollback_of(debit)))
    (item,) = _listed(wallet, transaction=str(debit.transaction))
    require(item.status is ProviderStatus.REVERSED, "Its `status` is not rolled_back.")


@case(Group.HAPPY, STANDARD)
def what_happened_in_a_period_is_listed_once(wallet: Probe) -> None:
    debit = wallet.debit()
    credit = wallet.credit_of(debit)
    accepted(wallet.send(credit))
    now = datetime.now(UTC)
    listed = [item.payment for item in _period(wallet, now - _MARGIN, now + _MARGIN)]
    counts = [listed.count(str(order.transaction)) for order in (debit, credit)]
    require(counts == [1, 1], f"Debit and credit are listed {counts} times.")
    earlier = [item.payment for item in _period(wallet, now - 3 * _MARGIN, now - 2 * _MARGIN)]
    require(str(debit.transaction) not in earlier, "The debit is also listed in a period that ended before.")


@case(Group.EDGE)
def a_debit_above_the_balance_is_refused(wallet: Probe) -> None:
    above = wallet.balance() + 1
    with wallet.moves(0):
        refused(wallet.send(wallet.order(TransactionKind.DEBIT, above)), "insufficient_funds")


@case(Group.EDGE)
def a_debit_of_the_whole_balance_is_taken(wallet: Probe) -> None:
    wallet.debit(wallet.balance())
    require(wallet.balance() == 0, "The balance is not zero.")


@case(Group.EDGE)
def a_debit_of_the_smallest_amount_is_taken(wallet: Probe) -> None:
    with wallet.moves(-1):
        wallet.debit(1)


@case(Group.EDGE, STANDARD)
def an_amount_with_more_decimals_moves_nothing(wallet: Probe) -> None:
    amount = money.format_amount(STAKE, wallet.currency)
    _is_not_taken(wallet, f"{amount}5" if "." in amount else f"{amount}.5")


@case(Group.EDGE, STANDARD)
def a_debit_below_zero_moves_nothing(wallet: Probe) -> None:
    _is_not_taken(wallet, money.format_amount(-STAKE, wallet.currency))


@case(Group.EDGE)
def a_debit_of_an_unknown_player_is_refused(wallet: Probe) -> None:
    refused(wallet.send(wallet.order(TransactionKind.DEBIT, player=uuid4())), "player_unknown")


@case(Group.EDGE)
def a_debit_in_another_currency_is_refused(wallet: Probe) -> None:
    other = "EUR" if wallet.currency != "EUR" else "USD"
    with wallet.moves(0):
        reply = wallet.send(wallet.order(TransactionKind.DEBIT, currency=other))
    refused(reply, "currency_differs", "player_unknown")


@case(Group.EDGE, STANDARD)
def a_member_that_is_new_is_ignored(wallet: Probe) -> None:
    order, request = wallet.order(TransactionKind.DEBIT, 1), uuid4()
    with wallet.moves(-1):
        answer = wallet.ask("debit", {**messages.single(order, request), "later": {"than": ["this", 1]}})
        accepted(messages.read_single(answer, order, request))
    accepted(wallet.send(wallet.rollback_of(order)))


@case(Group.EDGE, STANDARD)
def a_hundred_credits_in_one_message_are_each_answered(wallet: Probe) -> None:
    orders = [wallet.credit_of(wallet.debit(1), 1) for _ in range(messages.MAX_ITEMS)]
    with wallet.moves(len(orders)):
        for reply in wallet.send_credits(orders).values():
            accepted(reply)


@case(Group.EDGE, STANDARD)
def a_refused_credit_leaves_the_others_of_its_message_alone(wallet: Probe) -> None:
    first, last = (wallet.credit_of(wallet.debit()) for _ in range(2))
    nobodys = wallet.credit_of(wallet.order(TransactionKind.DEBIT))
    with wallet.moves(2 * STAKE):
        replies = wallet.send_credits([first, nobodys, last])
    accepted(replies[first.transaction])
    refused(replies[nobodys.transaction])
    accepted(replies[last.transaction])


def _is_not_taken(wallet: Probe, amount: str) -> None:
    order, request = wallet.order(TransactionKind.DEBIT), uuid4()
    body = msgspec.json.encode({**messages.single(order, request), "amount": amount})
    with wallet.moves(0):
        answer = wallet.post("debit", body)
    require(answer is not None and b'"accepted"' not in answer.body, f"A debit of {amount} was accepted.")


def _listed(wallet: Probe, **query: str) -> list[ProviderRecord]:
    items, _ = _page(wallet, query)
    require(len(items) == 1, f"{len(items)} transactions are listed instead of 1.")
    return items


def _period(wallet: Probe, since: datetime, until: datetime) -> list[ProviderRecord]:
    query, listed = {"from": since.isoformat(), "to": until.isoformat()}, list[ProviderRecord]()
    while True:
        items, cursor = _page(wallet, query)
        listed.extend(items)
        if cursor is None:
            return listed
        require(bool(items) and cursor != query.get("cursor"), "The list has no end.")
        query["cursor"] = cursor


def _page(wallet: Probe, query: dict[str, str]) -> tuple[list[ProviderRecord], str | None]:
    try:
        return read_page(wallet.list(query))
    except (msgspec.ValidationError, Refusal) as error:
        raise CaseFailed(f"The list is malformed: {error}") from None
