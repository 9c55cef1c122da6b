"""Callbacks need a valid signature and count once, in any order and number, also concurrently."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.crypto import crypto_shredding
from casino.crypto.crypto_shredding import ERASED, decrypt_text
from casino.events.sql import execute, fetch
from casino.operators.models import Operator
from casino.significant.models import SignificantEvent
from tests.conftest import Database
from tests.support.acts import agreed
from tests.support.depth import examples
from tests.support.payouts import UNPLAYED
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import (
    CALLBACK,
    assert_consistent,
    balance_of,
    call_back,
    complete_deposit,
    deposit,
    event_names,
    method,
    open_alice,
    report,
    send,
    status,
    withdraw,
)
from wallet.ledger.accounts import AccountKind
from wallet.models import Discrepancy
from wallet.payments import callbacks, deposits, methods, provider_messages, stored_messages, withdrawals
from wallet.payments.provider_reports import PaymentKind
from wallet.payments.refusals import (
    InvalidSignature,
    MalformedCallback,
    NonceReused,
    StaleTimestamp,
    TooLateToCancel,
    UnknownProvider,
)

STATUSES = ("pending", "failed", "completed", "reversed")


def outcomes() -> list[str | None]:
    return [row[0] for row in fetch("SELECT outcome FROM wallet_providercallback ORDER BY id")]


def kept() -> list[str]:
    return [decrypt_text(body) for (body,) in fetch("SELECT body FROM wallet_providercallback ORDER BY id")]


def told() -> list[tuple[Any, str]]:
    """Return the operator and outcome of each message that staff were told of."""
    rows = SignificantEvent.objects.filter(kind="payment_unapplied").values_list("operator_id", "reason")
    return [(operator, reason.rpartition(": ")[2].rstrip(".")) for operator, reason in rows.order_by("number")]


@pytest.mark.django_db
def test_a_callback_is_stored_at_once_and_applied_once() -> None:
    open_alice()
    payment = deposit(method())
    assert call_back(report(payment, "completed"))
    assert (status(payment), outcomes()) == ("pending", [None])
    assert callbacks.apply_waiting() == 1
    assert (status(payment), outcomes()) == ("completed", ["applied"])
    assert callbacks.apply_waiting() == 0
    assert_consistent()


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
        ({"subject": CALLBACK.replace("sandbox", "bank")}, InvalidSignature),
        ({"subject": CALLBACK.replace("POST", "PUT")}, InvalidSignature),
        ({"body": b"{}"}, InvalidSignature),
        ({"provider": "nobody"}, UnknownProvider),
    ],
)
def test_a_callback_without_a_valid_signature_changes_nothing(changes: dict[str, Any], refusal: type) -> None:
    body = provider_messages.encode_report(report(uuid4(), "completed"))
    with pytest.raises(refusal):
        send(body, **changes)
    assert outcomes() == []


@pytest.mark.django_db
@pytest.mark.parametrize("seconds", [-302, 302])
def test_a_signed_callback_with_a_stale_timestamp_is_refused(seconds: int) -> None:
    with pytest.raises(StaleTimestamp):
        call_back(report(uuid4(), "completed"), at=seconds)


@pytest.mark.django_db
def test_a_callback_signed_with_another_secret_is_refused() -> None:
    with pytest.raises(InvalidSignature):
        call_back(report(uuid4(), "completed"), secret="another")


@pytest.mark.django_db
def test_a_nonce_is_accepted_once() -> None:
    callback = report(uuid4(), "completed")
    assert [call_back(callback, nonce="n" * 16), call_back(callback, nonce="n" * 16)] == [True, False]
    with pytest.raises(NonceReused):
        call_back(report(uuid4(), "failed"), nonce="n" * 16)
    assert outcomes() == [None]


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"kind": "deposit", "kind": "payout"}', b'{"fee": NaN}', b"{"])
def test_a_signed_body_that_is_not_one_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedCallback):
        send(body)
    assert outcomes() == []


def said(payment: UUID, status_name: str, /, **members: Any) -> bytes:
    """Write a report with members as a provider may send them."""
    return json.dumps({**json.loads(provider_messages.encode_report(report(payment, status_name))), **members}).encode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"reason": "残高　不足"}, "残高 不足"),
        ({"reason": "R" * 201}, "R" * 200),
        ({"reason": "two\nlines"}, "two lines"),
        ({"reason": "Solde\u00a0insuffisant !"}, "Solde insuffisant !"),
        ({"reason": "\u202egnp.exe\0\ud800"}, "gnp.exe"),
        ({"reason": None}, ""),
        ({"reason": {"code": 4837}}, ""),
        ({"fee": "0.10", "network": {"arn": None}}, ""),
    ],
)
def test_a_chargeback_takes_the_money_back_whatever_its_reason_and_new_members_say(
    members: dict[str, Any], reason: str
) -> None:
    open_alice()
    payment = complete_deposit(method())
    assert send(said(payment, "reversed", **members))
    callbacks.apply_waiting()
    assert (outcomes(), status(payment), balance_of(AccountKind.ACCOUNT)) == (["applied"], "reversed", 0)
    assert fetch("SELECT reason FROM wallet_deposit") == [(reason,)]
    assert_consistent()


@pytest.mark.django_db
def test_a_reference_is_kept_and_compared_as_its_provider_sent_it() -> None:
    open_alice()
    payment = deposit(method())
    send(said(payment, "pending", reference="取引　7\u200c"))
    send(said(payment, "completed", reference="取引 7"))
    send(said(payment, "completed", reference="取引　7\u200c"))
    callbacks.apply_waiting()
    assert outcomes() == ["applied", "reference_differs", "applied"]
    assert fetch("SELECT reference FROM wallet_deposit") == [("取引　7\u200c",)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "members",
    [
        {"kind": "refund"},
        {"payment": "x"},
        {"payment": None},
        {"reference": "a\0"},
        {"reference": "r" * 201},
        {"status": "lost"},
        {"amount": 50.0},
        {"amount": "-50.00"},
        {"amount": None},
        {"currency": "XXX"},
    ],
)
def test_a_signed_report_whose_money_is_not_understood_is_stored_and_told(members: dict[str, Any]) -> None:
    open_alice()
    payment = complete_deposit(method())
    body = said(payment, "reversed", **members)
    assert [send(body, under=NONCE), send(body, under=NONCE)] == [True, False]
    callbacks.apply_waiting()
    assert (outcomes(), kept()) == (["unreadable"], [body.decode()])
    assert told() == [(OPERATOR, "unreadable")]
    assert (status(payment), balance_of(AccountKind.ACCOUNT)) == ("completed", 4900)


@pytest.mark.django_db
def test_what_a_message_says_beside_money_is_encrypted_under_the_key_of_its_player() -> None:
    open_alice()
    payment = complete_deposit(method())
    assert send(said(payment, "completed", amount="49.00", reason="Ann Lee", holder="Ann Lee", reference={"of": "Ann"}))
    assert send(said(uuid4(), "completed", reason="Ann Lee", reference="r" * 201))
    callbacks.apply_waiting()
    stored = fetch("SELECT player_id, operator_id, money, body FROM wallet_providercallback ORDER BY id")
    assert [row[:2] for row in stored] == [(ALICE, OPERATOR), (None, OPERATOR)]
    assert "Ann" not in str(stored)
    assert [crypto_shredding.owner_of(body) for *_, body in stored] == [ALICE, crypto_shredding.NOBODY]
    assert ["Ann Lee" in text for text in kept()] == [True, True]
    assert json.loads(stored[0][2]) == {
        "kind": "deposit", "payment": str(payment), "status": "completed", "amount": "49.00", "currency": "EUR",
    }  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("is_erased_before", [True, False])
def test_a_chargeback_of_an_erased_player_takes_the_money_back_without_its_reason(*, is_erased_before: bool) -> None:
    open_alice()
    payment = complete_deposit(method())
    body = said(payment, "reversed", reason="Ann Lee")
    if is_erased_before:
        crypto_shredding.destroy_key(ALICE)
    assert [send(body, under=NONCE), send(body, under=NONCE)] == [True, False]
    crypto_shredding.destroy_key(ALICE)
    assert send(body, under=NONCE) is False
    with pytest.raises(NonceReused):
        send(said(payment, "completed"), under=NONCE)
    assert kept() == [ERASED]
    callbacks.apply_waiting()
    assert (outcomes(), status(payment)) == (["applied"], "reversed")
    assert fetch("SELECT reason FROM wallet_deposit") == [("",)]
    assert_consistent()


@pytest.mark.django_db
def test_a_message_that_fails_here_is_told_and_shown_after_ten_tries_and_closed_with_its_discrepancy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    open_alice()
    payment = complete_deposit(method())
    assert send(said(payment, "reversed"))

    def fail(*_: object, **__: object) -> str:
        raise ValueError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr(deposits, "apply", fail)
        for tries in range(1, stored_messages.TOLD_AFTER + 1):
            execute("UPDATE wallet_providercallback SET next_try_at = clock_timestamp()")
            callbacks.apply_waiting(limit=1)
            assert len(told()) == Discrepancy.objects.count() == (tries == stored_messages.TOLD_AFTER)
    assert (outcomes(), told()) == ([None], [(OPERATOR, "ValueError")])
    stored_messages.close(provider="sandbox", payment=payment)
    execute("UPDATE wallet_providercallback SET next_try_at = clock_timestamp()")
    assert (callbacks.apply_waiting(), outcomes(), status(payment)) == (0, ["closed"], "completed")


NONCE = "n" * 16
TEXT = st.text(max_size=20) | st.sampled_from(["\0", "\ud800", "残高　不足", "50.00", "EUR", "deposit"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
MEMBERS = st.sampled_from(["kind", "payment", "reference", "status", "amount", "currency", "reason", "fee"])


@pytest.mark.django_db
@settings(max_examples=examples(25))
@given(members=st.dictionaries(MEMBERS | TEXT, VALUES, max_size=4), dropped=st.sets(MEMBERS, max_size=2))
def test_any_signed_message_is_applied_or_stored_and_told(members: dict[str, Any], dropped: set[str]) -> None:
    with transaction.atomic():
        open_alice()
        payment = complete_deposit(method())
        document = json.loads(said(payment, "reversed", **members))
        body = json.dumps({name: value for name, value in document.items() if name not in dropped}).encode()
        assert send(body)
        callbacks.apply_waiting()
        assert kept() == [body.decode()]
        if outcomes() == ["applied"]:
            assert (status(payment), balance_of(AccountKind.ACCOUNT), told()) == ("reversed", 0, [])
        elif outcomes() == ["no_change"]:
            assert document["status"] != "reversed"
        else:
            assert [why for _, why in told()] == outcomes()
            assert (status(payment), balance_of(AccountKind.ACCOUNT)) == ("completed", 4900)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_a_report_of_an_unknown_payment_does_not_block_others() -> None:
    open_alice()
    payment = deposit(method())
    call_back(report(uuid4(), "completed"))
    call_back(report(payment, "completed"))
    assert callbacks.apply_waiting() == 2
    assert outcomes() == ["unknown_payment", "applied"]
    assert told() == [(OPERATOR, "unknown_payment")]


def test_fifty_concurrent_duplicates_credit_once(database: Database, in_threads: Callable[..., list[Any]]) -> None:
    open_alice()
    payment = deposit(method())

    def deliver(_: int) -> str:
        call_back(report(payment, "completed"))
        callbacks.apply_waiting()
        return "delivered"

    assert in_threads(50, deliver) == ["delivered"] * 50
    callbacks.apply_waiting()
    assert sorted(str(each) for each in outcomes()) == ["applied"] + ["no_change"] * 49
    assert balance_of(AccountKind.ACCOUNT) == 4900
    assert event_names(f"deposit-{payment}").count("DepositCompleted") == 1
    assert_consistent()


def test_a_concurrent_callback_and_poll_credit_once(database: Database, in_threads: Callable[..., list[Any]]) -> None:
    open_alice()
    card = method()
    for _ in range(5):
        payment = deposit(card)
        callback = report(payment, "completed")
        call_back(callback)
        actions = (callbacks.apply_waiting, lambda callback=callback: deposits.apply(callback, provider="sandbox"))
        results = in_threads(6, lambda number, actions=actions: actions[number % 2]())
        assert not [each for each in results if isinstance(each, Exception)]
        assert event_names(f"deposit-{payment}") == ["DepositRequested", "DepositSent", "DepositCompleted"]
    assert balance_of(AccountKind.ACCOUNT) == 5 * 4900
    assert_consistent()


def test_concurrent_deposits_with_one_provider_reference_credit_one(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    open_alice()
    card = method()
    payment = [deposit(card) for _ in range(6)]
    for each in payment:
        call_back(report(each, "completed", reference="tx-1"))
    in_threads(6, lambda _: callbacks.apply_waiting())
    execute("UPDATE wallet_providercallback SET next_try_at = clock_timestamp()")
    callbacks.apply_waiting()
    assert sorted(str(each) for each in outcomes()) == ["applied"] + ["reference_taken"] * 5
    assert balance_of(AccountKind.ACCOUNT) == 4900
    assert_consistent()


def test_a_deposit_with_damaged_events_does_not_block_others(database: Database) -> None:
    open_alice()
    card = method()
    damaged, sound = deposit(card), deposit(card)
    for payment in (damaged, sound):
        call_back(report(payment, "completed"))
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute("UPDATE events_event SET data = '{}' WHERE stream = %s", [f"deposit-{damaged}"])
    assert callbacks.apply_waiting() == 2
    assert outcomes() == [None, "applied"]
    assert fetch("SELECT last_error FROM wallet_providercallback WHERE outcome IS NULL") == [("MalformedEvent",)]
    assert callbacks.apply_waiting() == 0  # until its back-off is over


def test_of_concurrent_cancelling_and_sending_one_succeeds(
    database: Database, in_threads: Callable[..., list[Any]]
) -> None:
    open_alice()
    card = method()
    complete_deposit(card, 10_000)
    with agreed():
        methods.set_policy(
            operator=OPERATOR,
            currency="EUR",
            auto_approve_up_to=10_000,
            second_approval_above=10_000,
            actor="staff:1",
            holds=UNPLAYED,
        )
    for _ in range(5):
        payment = withdraw(card, 100)
        actions = (
            lambda payment=payment: withdrawals.cancel(payment, operator=OPERATOR, player=ALICE, metadata=METADATA),
            lambda payment=payment: withdrawals.send(payment),
        )
        cancelled, sent = in_threads(2, lambda number, actions=actions: actions[number]())
        assert isinstance(cancelled, TooLateToCancel) == (sent is True)
    assert_consistent()


RANKS = {status_name: rank for rank, status_name in enumerate(STATUSES)}


@pytest.mark.django_db
@settings(max_examples=examples(20))
@given(statuses=st.lists(st.sampled_from(STATUSES), min_size=1, max_size=7), spent=st.integers(0, 4900))
def test_the_final_status_of_a_deposit_is_independent_of_the_order_of_reports(statuses: list[str], spent: int) -> None:
    with transaction.atomic():
        open_alice()
        card = method()
        payment = deposit(card)
        credited = False
        for each in statuses:
            deposits.apply(report(payment, each), provider="sandbox")
            if not credited and status(payment) == "completed" and spent:
                withdraw(card, spent)
                credited = True
        assert status(payment) == max(statuses, key=RANKS.__getitem__)
        arrived = 4900 if status(payment) == "completed" else 0
        assert balance_of(AccountKind.ACCOUNT) + balance_of(AccountKind.HOLD) + balance_of(AccountKind.DEBT) == arrived
        assert_consistent()
        transaction.set_rollback(True)


@pytest.mark.django_db
@settings(max_examples=examples(20))
@given(statuses=st.lists(st.sampled_from(STATUSES), min_size=1, max_size=6))
def test_the_final_status_of_a_withdrawal_is_independent_of_the_order_of_reports(statuses: list[str]) -> None:
    with transaction.atomic():
        open_alice()
        card = method()
        complete_deposit(card)
        methods.set_policy(
            operator=OPERATOR,
            currency="EUR",
            auto_approve_up_to=10_000,
            second_approval_above=10_000,
            actor="test",
            holds=UNPLAYED,
        )
        payment = withdraw(card, 1000)
        withdrawals.send(payment)
        for each in statuses:
            withdrawals.apply(report(payment, each, kind=PaymentKind.PAYOUT, amount=1000), provider="sandbox")
        back = bool({"failed", "reversed"} & set(statuses))
        expected = "returned" if back else "paid" if "completed" in statuses else "sent"
        assert status(payment, "wallet_withdrawal") == expected
        assert balance_of(AccountKind.ACCOUNT) == (4900 if back else 3900)
        assert balance_of(AccountKind.HOLD) == (1000 if expected == "sent" else 0)
        assert_consistent()
        transaction.set_rollback(True)
