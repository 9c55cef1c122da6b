"""Callbacks: who may send them, and that each counts once, however many come, in whatever order, at the same time."""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.events.sql import execute, fetch
from tests.conftest import Database
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    SECRET,
    agree,
    call_back,
    deposit,
    funded,
    holds,
    method,
    names,
    open_alice,
    report,
    status,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.payments import callbacks, deposits, methods, provider_messages, signatures, withdrawals
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    InvalidSignature,
    MalformedCallback,
    NonceReused,
    StaleTimestamp,
    TooLateToCancel,
    UnknownProvider,
)

SAID = ("pending", "failed", "completed", "reversed")


def outcomes() -> list[str | None]:
    return [row[0] for row in fetch("SELECT outcome FROM wallet_providercallback ORDER BY id")]


def sent(told: bytes, **changes: Any) -> bool:
    timestamp, nonce = str(int(time.time())), uuid4().hex
    signature = signatures.sign(secret=SECRET, timestamp=timestamp, nonce=nonce, body=told)
    given = {"provider": "sandbox", "timestamp": timestamp, "nonce": nonce, "signature": signature, "body": told}
    return callbacks.receive(**{**given, **changes})


@pytest.mark.django_db
def test_a_callback_is_kept_at_once_and_applied_later_once() -> None:
    open_alice()
    made = deposit(method())
    assert call_back(report(made, "completed"))
    assert (status(made), outcomes()) == ("pending", [None])
    assert callbacks.apply_waiting() == 1
    assert (status(made), outcomes()) == ("completed", ["applied"])
    assert callbacks.apply_waiting() == 0
    agree()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"signature": ""}, InvalidSignature),
        ({"signature": "v1=" + "0" * 64}, InvalidSignature),
        ({"signature": "é"}, InvalidSignature),
        ({"nonce": "short"}, InvalidSignature),
        ({"nonce": "a" * 20}, InvalidSignature),
        ({"timestamp": "now"}, InvalidSignature),
        ({"body": b"{}"}, InvalidSignature),
        ({"provider": "nobody"}, UnknownProvider),
    ],
)
def test_a_callback_that_is_not_signed_just_so_changes_nothing(changes: dict[str, Any], refusal: type) -> None:
    body = provider_messages.encode_report(report(uuid4(), "completed"))
    with pytest.raises(refusal):
        sent(body, **changes)
    assert outcomes() == []


@pytest.mark.django_db
@pytest.mark.parametrize("seconds", [-302, 302])
def test_a_callback_of_another_time_is_refused_though_well_signed(seconds: int) -> None:
    with pytest.raises(StaleTimestamp):
        call_back(report(uuid4(), "completed"), at=seconds)


@pytest.mark.django_db
def test_a_callback_signed_with_a_secret_that_is_not_shared_is_refused() -> None:
    with pytest.raises(InvalidSignature):
        call_back(report(uuid4(), "completed"), secret="another")


@pytest.mark.django_db
def test_a_nonce_is_taken_once() -> None:
    told = report(uuid4(), "completed")
    assert [call_back(told, nonce="n" * 16), call_back(told, nonce="n" * 16)] == [True, False]
    with pytest.raises(NonceReused):
        call_back(report(uuid4(), "failed"), nonce="n" * 16)
    assert outcomes() == [None]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"kind": "deposit"}',
        b'{"kind":"deposit","payment":"x","reference":"r","status":"completed","amount":"1.00","currency":"EUR"}',
        provider_messages.encode_report(report(uuid4(), "failed")).replace(b'"50.00"', b"50.00"),
        provider_messages.encode_report(report(uuid4(), "failed")).replace(b'"50.00"', b'"-50.00"'),
        provider_messages.encode_report(report(uuid4(), "failed")).replace(b"EUR", b"XXX"),
        provider_messages.encode_report(report(uuid4(), "failed")).replace(b'"failed"', b'"lost"'),
        provider_messages.encode_report(report(uuid4(), "failed")).replace(b'"reason":""', b'"reason":"\\u0000"'),
        provider_messages.encode_report(report(uuid4(), "failed")).replace(b'"reason":""', b'"tip":""'),
    ],
)
def test_a_body_that_is_no_report_is_refused_though_well_signed(body: bytes) -> None:
    with pytest.raises(MalformedCallback):
        sent(body)
    assert outcomes() == []


@pytest.mark.django_db
def test_a_report_of_a_payment_that_is_not_ours_is_noted_and_holds_up_nobody() -> None:
    open_alice()
    made = deposit(method())
    call_back(report(uuid4(), "completed"))
    call_back(report(made, "completed"))
    assert callbacks.apply_waiting() == 2
    assert outcomes() == ["unknown_payment", "applied"]


def test_fifty_duplicates_at_once_credit_once(database: Database, in_threads: Callable[..., list[Any]]) -> None:
    open_alice()
    made = deposit(method())

    def deliver(_: int) -> str:
        call_back(report(made, "completed"))
        callbacks.apply_waiting()
        return "delivered"

    assert in_threads(50, deliver) == ["delivered"] * 50
    callbacks.apply_waiting()
    assert sorted(str(each) for each in outcomes()) == ["applied"] + ["no_change"] * 49
    assert holds(AccountKind.ACCOUNT) == 4900
    assert names(f"deposit-{made}").count("DepositCompleted") == 1
    agree()


def test_a_callback_and_the_poll_that_meet_credit_once(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    open_alice()
    card = method()
    for _ in range(5):
        made = deposit(card)
        told = report(made, "completed")
        call_back(told)
        ways = (callbacks.apply_waiting, lambda told=told: deposits.apply(told, provider="sandbox"))
        found = in_threads(6, lambda number, ways=ways: ways[number % 2]())
        assert not [each for each in found if isinstance(each, Exception)]
        assert names(f"deposit-{made}") == ["DepositRequested", "DepositSent", "DepositCompleted"]
    assert holds(AccountKind.ACCOUNT) == 5 * 4900
    agree()


def test_two_deposits_with_one_transaction_at_once_credit_one(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    open_alice()
    card = method()
    made = [deposit(card) for _ in range(6)]
    for each in made:
        call_back(report(each, "completed", reference="tx-1"))
    in_threads(6, lambda _: callbacks.apply_waiting())
    execute("UPDATE wallet_providercallback SET next_try_at = clock_timestamp()")
    callbacks.apply_waiting()
    assert sorted(str(each) for each in outcomes()) == ["applied"] + ["reference_taken"] * 5
    assert holds(AccountKind.ACCOUNT) == 4900
    agree()


def test_a_deposit_whose_events_cannot_be_read_holds_up_nobody(database: Database) -> None:
    open_alice()
    card = method()
    damaged, sound = deposit(card), deposit(card)
    for made in (damaged, sound):
        call_back(report(made, "completed"))
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute("UPDATE events_event SET data = '{}' WHERE stream = %s", [f"deposit-{damaged}"])
    assert callbacks.apply_waiting() == 2
    assert outcomes() == [None, "applied"]
    assert fetch("SELECT last_error FROM wallet_providercallback WHERE outcome IS NULL") == [("MalformedEvent",)]
    assert callbacks.apply_waiting() == 0  # until its back-off is over


def test_cancelling_and_sending_at_once_do_one_of_both(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    open_alice()
    card = method()
    funded(card, 10_000)
    methods.set_policy(operator=OPERATOR, auto_approve_up_to=10_000, second_approval_above=10_000, actor="test")
    for _ in range(5):
        made = withdraw(card, 100)
        ways = (
            lambda made=made: withdrawals.cancel(made, operator=OPERATOR, player=ALICE, metadata=METADATA),
            lambda made=made: withdrawals.send(made),
        )
        cancelled, went = in_threads(2, lambda number, ways=ways: ways[number]())
        assert isinstance(cancelled, TooLateToCancel) == (went is True)
    agree()


RANK = {said: rank for rank, said in enumerate(SAID)}


@pytest.mark.django_db
@settings(max_examples=20, deadline=None)
@given(said=st.lists(st.sampled_from(SAID), min_size=1, max_size=7), spent=st.integers(0, 4900))
def test_what_becomes_of_a_deposit_depends_on_what_was_said_not_on_its_order(said: list[str], spent: int) -> None:
    with transaction.atomic():
        open_alice()
        card = method()
        made = deposit(card)
        credited = False
        for each in said:
            deposits.apply(report(made, each), provider="sandbox")
            if not credited and status(made) == "completed" and spent:
                withdraw(card, spent)
                credited = True
        assert status(made) == max(said, key=RANK.__getitem__)
        arrived = 4900 if status(made) == "completed" else 0
        assert holds(AccountKind.ACCOUNT) + holds(AccountKind.HOLD) + holds(AccountKind.DEBT) == arrived
        agree()
        transaction.set_rollback(True)


@pytest.mark.django_db
@settings(max_examples=20, deadline=None)
@given(said=st.lists(st.sampled_from(SAID), min_size=1, max_size=6))
def test_a_withdrawal_ends_paid_or_back_whatever_is_said_in_whatever_order(said: list[str]) -> None:
    with transaction.atomic():
        open_alice()
        card = method()
        funded(card)
        methods.set_policy(operator=OPERATOR, auto_approve_up_to=10_000, second_approval_above=10_000, actor="test")
        made = withdraw(card, 1000)
        withdrawals.send(made)
        for each in said:
            withdrawals.apply(report(made, each, kind=PaymentKind.PAYOUT, amount=1000), provider="sandbox")
        back = bool({"failed", "reversed"} & set(said))
        expected = "returned" if back else "paid" if "completed" in said else "sent"
        assert status(made, "wallet_withdrawal") == expected
        assert holds(AccountKind.ACCOUNT) == (4900 if back else 3900)
        assert holds(AccountKind.HOLD) == (1000 if expected == "sent" else 0)
        agree()
        transaction.set_rollback(True)
