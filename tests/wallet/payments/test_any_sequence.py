"""After any sequence of actions of player, staff and provider everything agrees; refusals leave no trace."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.operators import changes
from tests.support.depth import examples
from tests.support.payouts import UNPLAYED
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    call_back,
    deposit,
    method,
    open_alice,
    report,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.payments import callbacks, debts, methods, withdrawals
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind

Step = tuple[str, int, int]
STATUSES = ("pending", "failed", "completed", "reversed")
STEPS = st.tuples(
    st.sampled_from(
        ["deposit", "withdraw", "assign", "approve", "reject", "cancel", "send", "tell", "tell payout", "deliver"]
    ),
    st.integers(0, 3),
    st.integers(0, 5000),
)


class Payments:
    """Alice's payments so far, with a method for each action; numbers choose the payment."""

    def __init__(self, card: MethodVersion) -> None:
        self.card = card
        self.deposits: list[tuple[Any, int]] = []
        self.withdrawals: list[tuple[Any, int]] = []

    def act(self, step: Step) -> None:
        name, which, number = step
        actions: dict[str, Callable[[int, int], object]] = {
            "deposit": self._deposit,
            "withdraw": self._withdraw,
            "tell": self._report_deposit,
            "tell payout": self._report_payout,
            "deliver": lambda _, __: callbacks.apply_waiting(),
        }
        action = actions.get(name)
        if action is not None:
            action(which, number)
        elif self.withdrawals:
            self._review(name, self.withdrawals[number % len(self.withdrawals)][0], f"staff:{which}")

    def _deposit(self, _: int, number: int) -> None:
        self.deposits.append((deposit(self.card, number), number))

    def _withdraw(self, _: int, number: int) -> None:
        self.withdrawals.append((withdraw(self.card, number), number))

    def _review(self, name: str, payment: Any, staff: str) -> None:
        if name == "approve":
            waits = changes.waiting(withdrawals.KIND, f"withdrawal:{payment}")
            if waits is None:
                withdrawals.approve(payment, staff=staff, metadata=METADATA)
            else:
                changes.confirm(waits.pk, by=staff)
        elif name == "assign":
            withdrawals.assign(payment, owner=staff, by="staff:0", metadata=METADATA)
        elif name == "reject":
            withdrawals.reject(payment, staff=staff, reason="no", metadata=METADATA)
        elif name == "cancel":
            withdrawals.cancel(payment, operator=OPERATOR, player=ALICE, metadata=METADATA)
        else:
            withdrawals.send(payment)

    def _report_deposit(self, which: int, number: int) -> None:
        if self.deposits:
            payment, amount = self.deposits[number % len(self.deposits)]
            call_back(report(payment, STATUSES[which], amount=amount))

    def _report_payout(self, which: int, number: int) -> None:
        if self.withdrawals:
            payment, amount = self.withdrawals[number % len(self.withdrawals)]
            call_back(report(payment, STATUSES[which], kind=PaymentKind.PAYOUT, amount=amount))


def events() -> int:
    return int(fetch("SELECT count(*) FROM events_event")[0][0])


@pytest.mark.django_db
@settings(max_examples=examples(25))
@given(steps=st.lists(STEPS, min_size=4, max_size=25))
def test_events_entries_and_rows_agree_after_any_sequence_of_steps(steps: list[Step]) -> None:
    with transaction.atomic():
        open_alice()
        methods.set_policy(
            operator=OPERATOR,
            currency="EUR",
            auto_approve_up_to=500,
            second_approval_above=2000,
            actor="test",
            holds=UNPLAYED,
        )
        payments = Payments(method(minimum=1, fee_fixed=3))
        for step in [("deposit", 0, 5000), ("tell", 2, 0), ("deliver", 0, 0), *steps]:
            before = events()
            try:
                with transaction.atomic():
                    payments.act(step)
            except Refusal:
                assert events() == before
        callbacks.apply_waiting()
        assert_consistent()
        assert balance_of(AccountKind.DEBT) <= 0
        assert not (balance_of(AccountKind.DEBT) and balance_of(AccountKind.ACCOUNT))
        assert debts.collect_due() == 0
        transaction.set_rollback(True)
