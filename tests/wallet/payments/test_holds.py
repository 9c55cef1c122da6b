"""Held payments: placed by the gate, released by compliance, rejected, cancelled, told of, and held on their return."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import transaction

from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.crypto.crypto_shredding import decrypt_text
from casino.events import wakeups
from casino.events.sql import execute, fetch
from casino.operators import changes
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from tests.conftest import Database
from tests.support.payouts import pay_unplayed
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    assert_consistent,
    balance_of,
    complete_deposit,
    deposit,
    event_names,
    history,
    method,
    open_alice,
    report,
    status,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.ledger.player_accounts import open_player_accounts
from wallet.models import Hold
from wallet.payments import deposits, holds, records, withdrawal_state, withdrawals
from wallet.payments.audit import PaymentTraces
from wallet.payments.events import WithdrawalSent, withdrawal_stream
from wallet.payments.gate import HoldTerms
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    HoldDecided,
    HoldReasonMissing,
    PaymentHeld,
    ReleasedByItsApprover,
    TooLateToCancel,
    UnknownHold,
)
from wallet.tasks import watch_holds

BOSS, OFFICER, CASHIER = "staff:9", "staff:8", "staff:1"


def fund_alice(*, automatic: int = 10_000, second: int = 10_000) -> MethodVersion:
    """Give Alice 100.00, which she may withdraw unplayed, and return a method without fees."""
    open_alice()
    pay_unplayed(OPERATOR, automatic=automatic, second=second)
    card = method(fee_fixed=0, fee_ppm=0)
    complete_deposit(card, 10_000)
    return card


def open_case(player: UUID = ALICE) -> UUID:
    subject = f"player:{player}"
    case = cases.open_case(operator=OPERATOR, kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=subject, details={})
    assert case is not None
    return case


def held_by_case(**policy: int) -> tuple[UUID, Hold]:
    """Have a withdrawal of 10.00 that an open case holds, and its hold."""
    card = fund_alice(**policy)
    open_case()
    withdrawal = withdraw(card)
    hold = holds.open_hold_of(withdrawal)
    assert hold is not None
    return withdrawal, hold


def row_status(withdrawal: UUID) -> str:
    return status(withdrawal, "wallet_withdrawal")


def approve(withdrawal: UUID, staff: str = CASHIER) -> Any:
    return withdrawals.approve(withdrawal, staff=staff, metadata=METADATA)


def cancel(withdrawal: UUID) -> str:
    return withdrawals.cancel(withdrawal, operator=OPERATOR, player=ALICE, metadata=METADATA).status.value


def answer(withdrawal: UUID, word: str) -> str:
    return withdrawals.apply(report(withdrawal, word, kind=PaymentKind.PAYOUT, amount=1000), provider="sandbox")


def balances() -> list[int]:
    return [balance_of(kind) for kind in (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS)]


@pytest.mark.django_db
def test_by_default_money_that_was_never_staked_is_held_although_nobody_would_have_to_approve() -> None:
    open_alice()
    pay_unplayed(OPERATOR, automatic=10_000, second=10_000, holds=HoldTerms())
    card = method(fee_fixed=0, fee_ppm=0)
    complete_deposit(card, 10_000)
    withdrawal = withdraw(card)
    assert (row_status(withdrawal), Hold.objects.get().causes) == ("held", "unplayed")
    assert withdrawals.send(withdrawal) is False
    assert balances() == [9000, 1000, 0]
    assert cancel(withdrawal) == "cancelled"
    assert (balances(), Hold.objects.get().status) == ([10_000, 0, 0], "closed")
    assert_consistent()


@pytest.mark.django_db
def test_a_case_holds_a_payment_at_its_request_and_a_release_sends_it() -> None:
    withdrawal, hold = held_by_case()
    assert (row_status(withdrawal), hold.causes.split(":")[0]) == ("held", "open_case")
    assert holds.release(hold.pk, by=OFFICER, metadata=METADATA) is None
    assert row_status(withdrawal) == "approved"
    assert withdrawals.send(withdrawal)  # although the case is still open
    assert answer(withdrawal, "completed") == "applied"
    assert balances() == [9000, 0, 1000]
    assert event_names(withdrawal_stream(withdrawal)) == [
        "WithdrawalRequested", "WithdrawalHeld", "WithdrawalReleased", "WithdrawalSent", "WithdrawalPaid",
    ]  # fmt: skip
    assert_consistent()


@pytest.mark.django_db
def test_a_case_that_opens_later_holds_at_the_approval_and_when_it_would_be_sent() -> None:
    card = fund_alice(automatic=0)
    waits, approved = withdraw(card), withdraw(card)
    approve(approved)
    open_case()
    with pytest.raises(PaymentHeld):
        approve(waits)
    assert not withdrawals.send(approved)
    assert [row_status(each) for each in (waits, approved)] == ["held", "held"]
    for each in (waits, approved):
        hold = holds.open_hold_of(each)
        assert hold is not None
        holds.release(hold.pk, by=OFFICER, metadata=METADATA)
    assert [row_status(each) for each in (waits, approved)] == ["requested", "approved"]
    assert_consistent()


@pytest.mark.usefixtures("database")
def test_a_case_that_opens_or_opens_again_wakes_the_job_that_holds() -> None:
    assert settings.CELERY_BEAT_SCHEDULE[cases.HOLDS]["task"] == watch_holds.name
    wakeups.clear(cases.HOLDS)
    with transaction.atomic():
        case = open_case()
    assert wakeups.wait(cases.HOLDS, 5)
    cases.resolve_case(case, operator=OPERATOR, by="staff:1", resolution="Salary seen")
    wakeups.clear(cases.HOLDS)
    cases.reopen_case(case, operator=OPERATOR, by="staff:1")
    assert wakeups.wait(cases.HOLDS, 5)


@pytest.mark.django_db
def test_what_waits_for_a_cashier_is_held_soon_after_a_case_opens() -> None:
    withdrawal = withdraw(fund_alice(automatic=0))
    holds.watch()
    assert row_status(withdrawal) == "requested"
    case = open_case()
    holds.watch()
    assert (row_status(withdrawal), Hold.objects.get().causes) == ("held", f"open_case:{case}")
    holds.watch()
    assert Hold.objects.get().version == 1


@pytest.mark.django_db
def test_another_case_holds_again_what_was_released_for_the_first() -> None:
    withdrawal, hold = held_by_case()
    holds.release(hold.pk, by=OFFICER, metadata=METADATA)
    (first,) = cases.open_about(operator=OPERATOR, player=ALICE)
    cases.resolve_case(UUID(first), operator=OPERATOR, resolution="Fine", by=OFFICER)
    second = open_case()
    assert not withdrawals.send(withdrawal)
    again = holds.open_hold_of(withdrawal)
    assert again is not None
    assert (again.causes, again.pk != hold.pk) == (f"open_case:{second}", True)
    assert_consistent()


@pytest.mark.django_db
def test_a_payment_is_rejected_with_a_reason_that_its_player_never_reads() -> None:
    withdrawal, hold = held_by_case()
    with pytest.raises(HoldReasonMissing):
        holds.reject(hold.pk, by=OFFICER, reason=" ", metadata=METADATA)
    holds.reject(hold.pk, by=OFFICER, reason="Mules, see the case", metadata=METADATA)
    assert (row_status(withdrawal), balances()) == ("rejected", [10_000, 0, 0])
    after = holds.find(hold.pk)
    assert (after.status, after.decided_by) == ("rejected", OFFICER)
    assert decrypt_text(after.reason) == "Mules, see the case"
    assert fetch("SELECT reason FROM wallet_withdrawal") == [(withdrawal_state.REJECTED,)]
    for again in (
        lambda: holds.reject(hold.pk, by=OFFICER, reason="Again", metadata=METADATA),
        lambda: holds.release(hold.pk, by=OFFICER, metadata=METADATA),
        lambda: holds.assign(hold.pk, owner=OFFICER, by=OFFICER, metadata=METADATA),
    ):
        with pytest.raises(HoldDecided):
            again()
    assert_consistent()


@pytest.mark.django_db
def test_a_large_payment_is_released_by_two_of_whom_none_approved_it() -> None:
    withdrawal, hold = held_by_case(automatic=0, second=500)
    change = holds.release(hold.pk, by=OFFICER, metadata=METADATA)
    assert change is not None
    assert row_status(withdrawal) == "held"
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=OFFICER)
    changes.confirm(change.pk, by=BOSS)
    assert (row_status(withdrawal), holds.find(hold.pk).decided_by) == ("requested", f"{OFFICER},{BOSS}")
    for approver in (OFFICER, BOSS):
        with pytest.raises(ReleasedByItsApprover):
            approve(withdrawal, approver)
    assert_consistent()


@pytest.mark.django_db
def test_who_approved_a_payment_does_not_release_it() -> None:
    card = fund_alice(automatic=0)
    withdrawal = withdraw(card)
    approve(withdrawal)
    open_case()
    assert not withdrawals.send(withdrawal)
    hold = holds.open_hold_of(withdrawal)
    assert hold is not None
    with pytest.raises(ReleasedByItsApprover):
        holds.release(hold.pk, by=CASHIER, metadata=METADATA)
    with pytest.raises(UnknownHold):
        holds.release(withdrawal, by=OFFICER, metadata=METADATA)
    assert row_status(withdrawal) == "held"


@pytest.mark.django_db
def test_a_player_can_not_cancel_while_a_case_is_open_and_money_could_be_played_away() -> None:
    card = fund_alice(automatic=0)
    waits = withdraw(card)
    open_case()
    held = withdraw(card)
    refusals = []
    for each in (waits, held):
        with pytest.raises(TooLateToCancel) as refused:
            cancel(each)
        refusals.append((refused.value.message(), refused.value.facts))
    assert refusals[0] == refusals[1]
    assert refusals[0][1] == {"current_status": "in_review"}
    assert balances() == [8000, 2000, 0]


@pytest.mark.django_db
@pytest.mark.parametrize("is_told", [True, False])
def test_what_the_provider_does_not_pay_is_held_on_its_return(is_told: bool) -> None:
    withdrawal = withdraw(fund_alice())
    assert withdrawals.send(withdrawal)
    open_case()
    if is_told:
        holds.watch()
        assert (row_status(withdrawal), Hold.objects.get().status) == ("sent", "open")
    assert answer(withdrawal, "failed") == "applied"
    assert (row_status(withdrawal), balances()) == ("held", [9000, 1000, 0])
    assert answer(withdrawal, "failed") == "no_change"
    with pytest.raises(TooLateToCancel):
        cancel(withdrawal)
    holds.release(Hold.objects.get().pk, by=OFFICER, metadata=METADATA)
    assert (row_status(withdrawal), balances()) == ("returned", [10_000, 0, 0])
    assert_consistent()


@pytest.mark.django_db
def test_what_the_provider_pays_although_it_is_held_is_paid_once_and_told() -> None:
    withdrawal = withdraw(fund_alice())
    assert withdrawals.send(withdrawal)
    open_case()
    answer(withdrawal, "failed")
    assert answer(withdrawal, "completed") == "applied"
    assert (row_status(withdrawal), balances()) == ("paid", [9000, 0, 1000])
    assert (Hold.objects.get().status, Hold.objects.get().reason) == ("closed", "paid")
    assert SignificantEvent.objects.filter(kind="hold_waits").count() == 1
    assert_consistent()


@pytest.mark.django_db
def test_compliance_is_told_at_half_of_the_time_and_at_its_end_and_money_never_moves_by_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    withdrawal, hold = held_by_case()
    assert (hold.due_at - hold.placed_at).total_seconds() == 72 * 3600
    assert holds.watch() == 0
    for hours, told in ((35, 0), (36, 1), (37, 0), (72, 1), (1000, 0)):
        monkeypatch.setattr(records, "database_now", lambda now=hold.placed_at + timedelta(hours=hours): now)
        late = "UPDATE wallet_hold SET tell_at = clock_timestamp() WHERE tell_at <= %s"
        execute(late, [records.database_now()])  # as the database's own clock would find
        assert holds.watch() == told
    reasons = SignificantEvent.objects.filter(kind="hold_waits").order_by("number").values_list("reason", flat=True)
    assert list(reasons) == ["Half of the time is over.", "The time to decide is over."]
    assert (row_status(withdrawal), holds.find(hold.pk).told) == ("held", 2)


@pytest.mark.django_db
def test_a_hold_has_an_owner() -> None:
    _, hold = held_by_case()
    for _ in range(2):
        holds.assign(hold.pk, owner=OFFICER, by=BOSS, metadata=METADATA)
    assert (holds.find(hold.pk).owner, holds.find(hold.pk).version) == (OFFICER, 2)
    assert_consistent()


@pytest.mark.django_db
def test_the_audit_finds_a_payout_past_an_open_hold() -> None:
    withdrawal, _ = held_by_case()
    traces = PaymentTraces()
    events = [each for each in history() if not each[1].startswith("wallet-")]
    sent = WithdrawalSent(withdrawal, Hold.objects.get().placed_at)
    forged = (0, withdrawal_stream(withdrawal), 3, sent)
    found = [
        finding.kind
        for _, stream, version, event in [*events, forged]
        for finding in traces.replay(event, stream=stream, version=version, where=stream)
    ]
    assert found == ["event out of place", "sent past an open hold"]


def test_of_fifty_cases_and_payouts_at_once_each_payment_leaves_before_its_case_or_not_at_all(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    card, half = fund_alice(), 25
    players = [UUID(int=100 + number) for number in range(half)]
    payments = [withdrawal_of(player, card) for player in players]
    steps = [
        *(partial(withdrawals.send, payment) for payment in payments),
        *(partial(open_case, player) for player in players),
    ]

    results = in_threads(2 * half, lambda number: steps[number]())

    assert [type(each) for each in results] == [bool] * half + [UUID] * half
    for sent, payment in zip(results, payments, strict=False):
        # what was sent, was sent before the case was there, and the rest is held by it, whoever tries again
        assert (row_status(payment), holds.open_hold_of(payment) is None) == ("sent" if sent else "held", sent)
        assert withdrawals.send(payment) is sent
    assert_consistent()


def withdrawal_of(player: UUID, card: MethodVersion) -> UUID:
    """Have a player deposit 10.00 and ask for 1.00 of it."""
    open_player_accounts(operator=OPERATOR, player=player, currency="EUR", metadata=METADATA)
    paid = deposit(card, 1000, player)
    deposits.apply(report(paid, "completed", amount=1000), provider="sandbox")
    return withdrawals.request(
        operator=OPERATOR, player=player, currency="EUR", method=card.id, amount=100, metadata=METADATA
    )
