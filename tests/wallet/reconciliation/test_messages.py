"""Signed messages that could not be applied: the desk applies them again, or two persons close them."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.urls import reverse

from casino.events.sql import fetch
from casino.operators.models import Operator
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant.models import SignificantEvent
from tests.conftest import Database
from tests.support.acts import agreed
from tests.support.office import page_of, staff, superuser
from tests.support.payouts import UNPLAYED, pay_unplayed
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.payments.counter import (
    assert_consistent,
    call_back,
    complete_deposit,
    event_names,
    history,
    method,
    open_alice,
    report,
    send,
    status,
    use_provider,
    withdraw,
)
from wallet.models import Discrepancy, ProviderCallback
from wallet.payments import callbacks, methods, provider_messages, withdrawals
from wallet.payments.provider_reports import PaymentKind
from wallet.reconciliation import messages, queries, services
from wallet.reconciliation.audit import ReconciliationTraces
from wallet.reconciliation.comparison import ReconciliationOutcome
from wallet.reconciliation.events import DiscrepancyResolution, discrepancy_stream
from wallet.reconciliation.refusals import DiscrepancyClosed, MessageNotApplicable, UnknownDiscrepancy
from wallet.reconciliation.sources import ReconciliationDay


def open_house(monkeypatch: pytest.MonkeyPatch, *, second_above: int = 10_000) -> Any:
    """Open a live operator whose policy asks for two persons above an amount; return its method of payment."""
    use_provider(monkeypatch)
    with agreed():
        Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
    pay_unplayed(OPERATOR)
    open_alice()
    with agreed():
        methods.set_policy(
            operator=OPERATOR, currency="EUR", auto_approve_up_to=second_above, second_approval_above=second_above,
            actor="staff:1", holds=UNPLAYED,
        )  # fmt: skip
    return method()


def tell_too_early(card: Any) -> tuple[Any, Discrepancy]:
    """Say that a payout is completed that was never sent; return it and its discrepancy."""
    complete_deposit(card)
    payment = withdraw(card)
    call_back(report(payment, "completed", kind=PaymentKind.PAYOUT, amount=1000))
    callbacks.apply_waiting()
    return payment, Discrepancy.objects.get()


def assert_audited() -> None:
    """Check that every discrepancy's events and row agree, and that money does."""
    traces = ReconciliationTraces()
    found = [
        finding
        for _, stream, version, event in history()
        if stream.startswith("discrepancy-")
        for finding in traces.replay(event, stream=stream, version=version, where=stream)
    ]
    assert [*found, *traces.check_state()] == []


def resolve(row: Discrepancy, by: str) -> Any:
    resolution = DiscrepancyResolution.WRITTEN_OFF
    return services.resolve(
        row.pk, operator=OPERATOR, resolution=resolution, note="They sent it wrong.", by=by, metadata=METADATA
    )


@pytest.mark.django_db
def test_a_message_that_came_too_early_is_applied_again_at_the_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    payment, row = tell_too_early(open_house(monkeypatch))
    assert (row.operator_id, row.type, row.kind, row.payment) == (
        OPERATOR,
        "message_unapplied",
        "payout",
        str(payment),
    )
    assert (row.our_amount, row.their_amount, row.their_status, row.status) == (1000, 1000, "completed", "open")

    assert messages.apply_again(row.pk, operator=OPERATOR, metadata=METADATA) == ["never_sent"]
    assert Discrepancy.objects.get().status == "open"
    withdrawals.send(payment)
    with pytest.raises(UnknownDiscrepancy):
        messages.apply_again(row.pk, operator=uuid4(), metadata=METADATA)
    assert messages.apply_again(row.pk, operator=OPERATOR, metadata=METADATA) == []
    assert messages.apply_again(row.pk, operator=OPERATOR, metadata=METADATA) == []
    assert (status(payment, "wallet_withdrawal"), Discrepancy.objects.get().status) == ("paid", "cleared")
    assert ProviderCallback.objects.get().outcome == "applied"
    assert_audited()


@pytest.mark.django_db
@pytest.mark.parametrize(("amount", "persons"), [(4999, 1), (5001, 2)])
def test_a_message_above_the_policys_amount_is_closed_by_two_persons(
    monkeypatch: pytest.MonkeyPatch, amount: int, persons: int
) -> None:
    payment = complete_deposit(open_house(monkeypatch, second_above=5000))
    call_back(report(payment, "reversed", amount=amount))
    callbacks.apply_waiting()
    row = Discrepancy.objects.get()
    services.assign(row.pk, operator=OPERATOR, owner="staff:7", by="staff:7", metadata=METADATA)
    if persons == 2:
        with pytest.raises(ChangeNeedsSecondPerson):
            resolve(row, "staff:7")
        assert resolve(row, "staff:8").resolved_by == "staff:8"
    else:
        assert resolve(row, "staff:7").resolved_by == "staff:7"
    with pytest.raises(DiscrepancyClosed):
        resolve(row, "staff:9")
    assert_audited()


@pytest.mark.django_db
def test_nobody_closes_a_large_message_that_nobody_took(monkeypatch: pytest.MonkeyPatch) -> None:
    payment = complete_deposit(open_house(monkeypatch, second_above=100))
    call_back(report(payment, "reversed", amount=4999))
    callbacks.apply_waiting()
    with pytest.raises(ChangeNeedsSecondPerson):
        resolve(Discrepancy.objects.get(), "staff:8")


@pytest.mark.django_db
def test_another_large_message_is_taken_over_anew_by_the_same_owner_or_another(monkeypatch: pytest.MonkeyPatch) -> None:
    payment = complete_deposit(open_house(monkeypatch, second_above=100))
    for amount in (4999, 4998):
        call_back(report(payment, "reversed", amount=amount))
        callbacks.apply_waiting()
        row = Discrepancy.objects.get()
        with pytest.raises(ChangeNeedsSecondPerson):
            resolve(row, "staff:8")
        for _ in range(2):
            services.assign(row.pk, operator=OPERATOR, owner="staff:7", by="staff:7", metadata=METADATA)
    assert event_names(discrepancy_stream(row.pk)).count("DiscrepancyAssigned") == 2
    resolve(row, "staff:8")
    assert_audited()


@pytest.mark.django_db
def test_messages_of_a_resolved_discrepancy_are_never_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    payment, row = tell_too_early(open_house(monkeypatch))
    resolve(row, "staff:8")
    withdrawals.send(payment)
    with pytest.raises(DiscrepancyClosed):
        messages.apply_again(row.pk, operator=OPERATOR, metadata=METADATA)
    assert callbacks.apply_again(provider="sandbox", payment=payment) == []
    assert (status(payment, "wallet_withdrawal"), ProviderCallback.objects.get().outcome) == ("sent", "closed")


@pytest.mark.django_db
def test_a_message_stays_open_when_the_day_is_compared_and_opens_again_with_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    payment = complete_deposit(open_house(monkeypatch))
    call_back(report(payment, "reversed", amount=4000))
    callbacks.apply_waiting()
    row = Discrepancy.objects.get()
    day = ReconciliationDay(OPERATOR, "sandbox", row.day, row.found_at - timedelta(hours=1), row.found_at)
    services._record(day, "EUR", ReconciliationOutcome(0, 0, 0, 0, ()))
    assert Discrepancy.objects.get().status == "open"
    resolve(row, "staff:8")
    call_back(report(payment, "reversed", amount=4000))
    callbacks.apply_waiting()
    assert Discrepancy.objects.get().status == "assigned"


@pytest.mark.django_db
@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("names_a_payment", [True, False])
def test_a_message_about_a_payment_that_nobody_knows_is_a_discrepancy_of_who_has_the_provider(
    monkeypatch: pytest.MonkeyPatch, *, is_shared: bool, names_a_payment: bool
) -> None:
    open_house(monkeypatch)
    if is_shared:
        method(uuid4())
    payment = uuid4()
    said = json.loads(provider_messages.encode_report(report(payment, "reversed")))
    if not names_a_payment:
        del said["payment"]
    for _ in range(2):
        send(json.dumps(said).encode())
        callbacks.apply_waiting()
    row = Discrepancy.objects.get()
    operator = None if is_shared else OPERATOR
    assert (row.operator_id, row.kind, row.our_status) == (operator, None, None)
    assert (row.payment, row.their_amount) == ((str(payment), 5000) if names_a_payment else ("", None))
    why = "unknown_payment" if names_a_payment else "unreadable"
    assert messages.apply_again(row.pk, operator=operator, metadata=METADATA) == [why]
    assert SignificantEvent.objects.get(kind="payment_unapplied").operator_id == operator
    assert_audited()

    about = {"operator": operator, "metadata": METADATA}
    services.assign(row.pk, owner="staff:7", by="staff:7", **about)
    services.resolve(row.pk, resolution=DiscrepancyResolution.ACCEPTED, note="Not ours.", by="staff:8", **about)
    assert {each.outcome for each in ProviderCallback.objects.all()} == {"closed"}
    assert "Not ours." not in str(fetch("SELECT note FROM wallet_discrepancy_note"))
    assert [each.note for each in queries.notes([row.pk])[row.pk]] == ["Not ours."]
    assert_audited()


@pytest.mark.django_db
def test_a_fault_while_a_message_is_applied_again_is_a_clear_error_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    payment, row = tell_too_early(open_house(monkeypatch))
    withdrawals.send(payment)
    complete = withdrawals.apply

    def fail_at_the_end(said: Any, *, provider: str) -> str:
        complete(said, provider=provider)
        raise ValueError("a fault of ours")

    button = reverse("admin:wallet_discrepancy_apply_again", args=[row.pk])
    ann = staff("wallet.view_discrepancy", "wallet.change_discrepancy", works_for="lucky")
    with monkeypatch.context() as patched:
        patched.setattr(withdrawals, "apply", fail_at_the_end)
        with pytest.raises(MessageNotApplicable):
            messages.apply_again(row.pk, operator=OPERATOR, metadata=METADATA)
        assert "ValueError: nothing was changed." in ann.post(button, follow=True).content.decode()
    assert (status(payment, "wallet_withdrawal"), ProviderCallback.objects.get().outcome) == ("sent", "never_sent")
    assert Discrepancy.objects.get().status == "open"
    assert messages.apply_again(row.pk, operator=OPERATOR, metadata=METADATA) == []


@pytest.mark.django_db
def test_staff_of_the_installation_see_what_no_operator_has(monkeypatch: pytest.MonkeyPatch) -> None:
    open_house(monkeypatch)
    method(uuid4())
    call_back(report(uuid4(), "reversed"))
    callbacks.apply_waiting()
    row = Discrepancy.objects.get()
    rights = ("wallet.view_discrepancy", "wallet.change_discrepancy")
    page, button = page_of("wallet_discrepancy", row.pk), reverse("admin:wallet_discrepancy_apply_again", args=[row.pk])
    assert staff(*rights, name="ann", works_for="lucky").get(page).status_code == 302
    root = superuser()
    assert "unknown …" in root.get(page).content.decode()
    assert "Not applied: unknown payment." in root.post(button, follow=True).content.decode()


def test_fifty_messages_at_once_are_one_discrepancy_and_told_once(
    database: Database, monkeypatch: pytest.MonkeyPatch, in_threads: Callable[..., list[Any]]
) -> None:
    payment = complete_deposit(open_house(monkeypatch))

    def deliver(_: int) -> str:
        call_back(report(payment, "reversed", amount=4000))
        callbacks.apply_waiting()
        return "delivered"

    assert in_threads(50, deliver) == ["delivered"] * 50
    callbacks.apply_waiting()
    assert list(ProviderCallback.objects.values_list("outcome", flat=True)) == ["amount_mismatch"] * 50
    assert [UUID(row.payment) for row in Discrepancy.objects.all()] == [payment]
    assert SignificantEvent.objects.filter(kind="payment_unapplied").count() == 1
    assert_audited()
    assert_consistent()
