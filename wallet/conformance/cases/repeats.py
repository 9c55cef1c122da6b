"""Messages that come again, with another content under a known id, or in another order."""

from uuid import uuid4

from wallet.conformance.kit import STANDARD, Group, case
from wallet.conformance.probe import STAKE, Probe, accepted, refused, require
from wallet.remote.events import TransactionKind


@case(Group.IDEMPOTENT)
def the_same_debit_again_gets_the_first_answer(wallet: Probe) -> None:
    order = wallet.order(TransactionKind.DEBIT)
    with wallet.moves(-STAKE):
        first, second = (accepted(wallet.send(order)).reference for _ in range(2))
    require(first == second, f"The references differ: {first} and {second}.")


@case(Group.IDEMPOTENT)
def the_same_debit_again_is_accepted_when_the_money_is_gone(wallet: Probe) -> None:
    order = wallet.order(TransactionKind.DEBIT, wallet.balance())
    accepted(wallet.send(order))
    accepted(wallet.send(order))


@case(Group.IDEMPOTENT)
def a_debit_with_another_amount_under_its_id_is_refused(wallet: Probe) -> None:
    debit = wallet.debit()
    with wallet.moves(0):
        refused(
            wallet.send(wallet.order(TransactionKind.DEBIT, 2 * STAKE, transaction=debit.transaction)),
            "reference_differs",
        )


@case(Group.IDEMPOTENT)
def a_credit_under_the_id_of_its_debit_is_refused(wallet: Probe) -> None:
    debit = wallet.debit()
    with wallet.moves(0):
        order = wallet.order(TransactionKind.CREDIT, of=debit, transaction=debit.transaction)
        refused(wallet.send(order), "reference_differs")


@case(Group.IDEMPOTENT)
def the_same_credit_again_is_paid_once(wallet: Probe) -> None:
    credit = wallet.credit_of(wallet.debit())
    with wallet.moves(STAKE):
        first, second = (accepted(wallet.send(credit)).reference for _ in range(2))
    require(first == second, f"The references differ: {first} and {second}.")


@case(Group.IDEMPOTENT, STANDARD)
def a_credit_twice_in_one_message_is_paid_once(wallet: Probe) -> None:
    credit = wallet.credit_of(wallet.debit())
    with wallet.moves(STAKE):
        accepted(wallet.send_credits([credit, credit])[credit.transaction])


@case(Group.IDEMPOTENT)
def a_credit_with_another_amount_under_its_id_is_refused(wallet: Probe) -> None:
    debit = wallet.debit()
    credit = wallet.credit_of(debit)
    accepted(wallet.send(credit))
    with wallet.moves(0):
        order = wallet.order(TransactionKind.CREDIT, 2 * STAKE, of=debit, transaction=credit.transaction)
        refused(wallet.send(order), "reference_differs")


@case(Group.IDEMPOTENT)
def the_same_rollback_again_gets_the_first_answer(wallet: Probe) -> None:
    with wallet.moves(0):
        rollback = wallet.rollback_of(wallet.debit())
        first, second = (accepted(wallet.send(rollback)) for _ in range(2))
    require(first == second, f"The answers differ: {first} and {second}.")


@case(Group.IDEMPOTENT)
def another_rollback_of_a_debit_returns_no_more(wallet: Probe) -> None:
    with wallet.moves(0):
        debit = wallet.debit()
        first, second = (accepted(wallet.send(wallet.rollback_of(debit))) for _ in range(2))
    require(first.found and second.found, "`found` is false, and there was the debit.")


@case(Group.IDEMPOTENT, STANDARD)
def the_same_correction_again_moves_once(wallet: Probe) -> None:
    debit = wallet.debit()
    accepted(wallet.send(wallet.credit_of(debit, 2 * STAKE)))
    correction = wallet.order(TransactionKind.CORRECTION, -STAKE, of=debit)
    with wallet.moves(-STAKE):
        first, second = (accepted(wallet.send(correction)).reference for _ in range(2))
    require(first == second, f"The references differ: {first} and {second}.")


@case(Group.IDEMPOTENT, STANDARD)
def a_correction_with_another_amount_under_its_id_is_refused(wallet: Probe) -> None:
    debit = wallet.debit()
    accepted(wallet.send(wallet.credit_of(debit, 2 * STAKE)))
    correction = wallet.order(TransactionKind.CORRECTION, -1, of=debit)
    accepted(wallet.send(correction))
    with wallet.moves(0):
        order = wallet.order(TransactionKind.CORRECTION, -2, of=debit, transaction=correction.transaction)
        refused(wallet.send(order), "reference_differs")


@case(Group.ORDER, STANDARD)
def a_rollback_before_its_debit_finds_none(wallet: Probe) -> None:
    debit = wallet.order(TransactionKind.DEBIT)
    with wallet.moves(0):
        answer = accepted(wallet.send(wallet.rollback_of(debit)))
    require(not answer.found, "`found` is true, and there was no debit.")


@case(Group.ORDER)
def a_debit_after_its_rollback_is_refused(wallet: Probe) -> None:
    debit = wallet.order(TransactionKind.DEBIT)
    with wallet.moves(0):
        accepted(wallet.send(wallet.rollback_of(debit)))
        refused(wallet.send(debit), "transaction_cancelled")


@case(Group.ORDER)
def a_debit_that_was_rolled_back_is_not_taken_again(wallet: Probe) -> None:
    with wallet.moves(0):
        debit = wallet.debit()
        accepted(wallet.send(wallet.rollback_of(debit)))
        refused(wallet.send(debit), "transaction_cancelled")


@case(Group.ORDER, STANDARD)
def a_rollback_that_found_none_still_finds_none_after_its_debit_came(wallet: Probe) -> None:
    debit = wallet.order(TransactionKind.DEBIT)
    rollback = wallet.rollback_of(debit)
    accepted(wallet.send(rollback))
    refused(wallet.send(debit))
    with wallet.moves(0):
        require(not accepted(wallet.send(rollback)).found, "`found` is true the second time.")


@case(Group.ORDER, STANDARD)
def a_rollback_goes_by_its_debit_alone(wallet: Probe) -> None:
    with wallet.moves(0):
        debit = wallet.debit()
        rollback = wallet.rollback_of(debit, wager=uuid4(), round=uuid4(), table=uuid4())
        require(accepted(wallet.send(rollback)).found, "`found` is false, and there was the debit.")


@case(Group.ORDER, STANDARD)
def a_rollback_for_an_unknown_player_is_accepted(wallet: Probe) -> None:
    debit = wallet.order(TransactionKind.DEBIT, player=uuid4())
    answer = accepted(wallet.send(wallet.rollback_of(debit, player=debit.player)))
    require(not answer.found, "`found` is true, and there was no debit.")


@case(Group.ORDER)
def credits_in_another_order_than_their_debits_are_paid(wallet: Probe) -> None:
    orders = [wallet.credit_of(wallet.debit(), amount) for amount in (50, 150)]
    with wallet.moves(200):
        for order in reversed(orders):
            accepted(wallet.send(order))


@case(Group.ORDER)
def a_credit_without_its_debit_is_refused(wallet: Probe) -> None:
    with wallet.moves(0):
        refused(wallet.send(wallet.credit_of(wallet.order(TransactionKind.DEBIT))))
