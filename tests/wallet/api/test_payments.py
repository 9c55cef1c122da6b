"""Deposits, withdrawals, their methods and callbacks over HTTP, with invalid input."""

import json
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from casino.operators import key_limits
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.services import create_operator
from casino.significant.models import SignificantEvent
from tests.support.keys import issue_key
from tests.wallet.payments.counter import CALLBACK, SECRET, use_provider
from wallet.payments import callbacks, signatures

pytestmark = pytest.mark.django_db
CARD = {
    "name": "Card",
    "provider": "sandbox",
    "currency": "EUR",
    "minimum": "10.00",
    "maximum": "2000.00",
    "fee_fixed": "0.25",
    "fee_percent": "1.5",
    "processing_seconds": 60,
    "supports_withdrawals": True,
}


@dataclass
class Caller:
    """Someone with a credential."""

    key: str
    operator: UUID
    keys: list[str] = field(default_factory=list)

    def post(self, path: str, key: str = "", **body: Any) -> Any:
        headers = {"Idempotency-Key": key or uuid4().hex, "Authorization": f"Bearer {self.key}"}
        return Client().post(f"/api/v1/{path}", body, content_type="application/json", headers=headers)

    def get(self, path: str) -> Any:
        return Client().get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {self.key}"})

    def player(self, reference: str = "saver") -> "Caller":
        registered = self.post("players", reference=reference).json()["id"]
        return Caller(self.post(f"players/{registered}/sessions").json()["token"], self.operator)

    def method(self, **changes: Any) -> str:
        return str(self.post("deposit-methods", **{**CARD, **changes}).json()["id"])


def house(slug: str) -> Caller:
    operator = create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True)
    return Caller(".".join(issue_key(operator=operator.id)), operator.id)


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)


@pytest.fixture
def lucky() -> Caller:
    return house("lucky")


def deposit(player: Caller, method: str, amount: str = "50.00", **more: Any) -> Any:
    return player.post("me/deposits", method=method, amount=amount, currency="EUR", **more)


def call_back(payment: str, status: str, *, amount: str = "50.00", kind: str = "deposit", **changes: str) -> Any:
    report = {"kind": kind, "payment": payment, "reference": f"tx-{payment}", "status": status, "amount": amount}
    body = json.dumps({**report, "currency": "EUR"}).encode()
    timestamp, nonce = str(int(time.time())), secrets.token_hex(16)
    headers = signatures.headers(secret=SECRET, timestamp=timestamp, nonce=nonce, subject=CALLBACK, body=body)
    return Client().post(
        "/api/v1/providers/sandbox/callbacks", body, content_type="application/json", headers={**headers, **changes}
    )


def balance(player: Caller, account: str = "account") -> str:
    items = player.get("me/balances").json()["items"]
    balances = [
        item["balance"]["amount"] for item in items if (item["account"], item["money_type"]) == (account, "real")
    ]
    return balances[0]


def test_a_player_sees_fee_and_time_of_arrival_before_depositing(lucky: Caller) -> None:
    lucky.method()
    lucky.method(name="Bank", fee_fixed="0", fee_percent="0", minimum="100.00", processing_seconds=86400)
    lucky.method(name="Closed", enabled=False)
    player = lucky.player()
    response = player.get("deposit-methods?amount=50.00").json()["items"]
    assert [(each["name"], each["processing_seconds"], each["quote"]["refusal_code"]) for each in response] == [
        ("Card", 60, None),
        ("Bank", 86400, "amount_out_of_range"),
    ]
    assert response[0]["quote"]["fee"] == {"amount": "1.00", "currency": "EUR"}
    assert response[0]["quote"]["net_amount"] == {"amount": "49.00", "currency": "EUR"}
    at = datetime.fromisoformat(response[0]["quote"]["expected_at"]) - timedelta(
        seconds=response[0]["processing_seconds"]
    )
    assert timedelta() <= datetime.now(UTC) - at < timedelta(minutes=1)
    assert [each["quote"]["expected_at"] for each in response if each["quote"]["refusal_code"]] == [None]
    assert player.get("deposit-methods").json()["items"][0]["quote"] is None
    assert len(lucky.get("deposit-methods").json()["items"]) == 3
    assert player.get("deposit-methods?amount=5,0").json()["code"] == "amount_malformed"


def test_an_operator_adds_methods_and_changes_only_its_own(lucky: Caller) -> None:
    method, other = lucky.method(), house("other")
    assert lucky.player().post("deposit-methods", **CARD).json()["code"] == "forbidden"
    assert other.post(f"deposit-methods/{method}/versions", **CARD).json()["code"] == "unknown_deposit_method"
    changed = lucky.post(f"deposit-methods/{method}/versions", **{**CARD, "enabled": False})
    assert (changed.status_code, changed.json()["version"]) == (201, 2)
    assert other.get("deposit-methods").json() == {"items": []}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"provider": "nobody"}, "unknown_provider"),
        ({"minimum": "3000.00"}, "invalid_deposit_method"),
        ({"fee_percent": "100"}, "invalid_deposit_method"),
        ({"fee_percent": 1.5}, "not_a_string"),
        ({"processing_seconds": -1}, "invalid_deposit_method"),
        ({"processing_seconds": "60"}, "not_an_integer"),
        ({"supports_withdrawals": "yes"}, "not_a_boolean"),
        ({"minimum": 10}, "amount_not_text"),
        ({"currency": "SEK"}, "currency_not_offered"),
        ({"tip": "1"}, "unknown_field"),
        ({"name": ""}, "field_blank"),
    ],
)
def test_an_invalid_method_is_refused_with_its_code(lucky: Caller, changes: dict[str, Any], code: str) -> None:
    answer = lucky.post("deposit-methods", **{**CARD, **changes})
    assert answer.status_code in {404, 422}
    assert answer.json()["code"] == code


def test_a_deposit_from_request_to_balance(lucky: Caller) -> None:
    player, method = lucky.player(), lucky.method()
    created = deposit(player, method)
    assert (created.status_code, created.json()["status"]) == (201, "pending")
    assert created.json()["net_amount"] == {"amount": "49.00", "currency": "EUR"}
    accepted = call_back(created.json()["id"], "completed")
    assert (accepted.status_code, accepted.json()) == (202, {"applied": True})
    assert balance(player) == "0.00"
    callbacks.apply_waiting()
    assert balance(player) == "49.00"
    response = player.get(f"me/deposits/{created.json()['id']}").json()
    assert (response["status"], response["ended_at"] is not None) == ("completed", True)


def test_a_deposit_request_sent_three_times_makes_one_deposit(lucky: Caller) -> None:
    player, method = lucky.player(), lucky.method()
    answers = [deposit(player, method, key="same") for _ in range(3)]
    assert len({answer.content for answer in answers}) == 1
    assert len(player.get("me/deposits").json()["items"]) == 1


def test_a_quick_deposit_repeats_the_last_one(lucky: Caller) -> None:
    player, method = lucky.player(), lucky.method()
    assert player.post("me/deposits/quick", currency="EUR").json()["code"] == "no_earlier_deposit"
    deposit(player, method, "20.00")
    deposit(player, method, "30.00")
    quick = player.post("me/deposits/quick")
    assert (quick.status_code, quick.json()["amount"]["amount"], quick.json()["method"]) == (201, "30.00", method)
    assert player.post("me/deposits/quick", amount="1.00").json()["code"] == "unknown_field"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"amount": 50}, "amount_not_text"),
        ({"amount": "-5"}, "amount_not_positive"),
        ({"amount": "9.99"}, "amount_out_of_range"),
        ({"amount": "1e3"}, "amount_malformed"),
        ({"currency": "SEK"}, "currency_not_offered"),
        ({"method": "card"}, "field_invalid"),
        ({"method": str(UUID(int=3))}, "unknown_deposit_method"),
        ({"tip": "1"}, "unknown_field"),
    ],
)
def test_an_invalid_deposit_is_refused_with_its_code(lucky: Caller, changes: dict[str, Any], code: str) -> None:
    player, method = lucky.player(), lucky.method()
    answer = player.post("me/deposits", **{"method": method, "amount": "50.00", "currency": "EUR", **changes})
    assert answer.json()["code"] == code
    assert player.get("me/deposits").json()["items"] == []


def test_deposits_come_in_pages_newest_first_and_by_status(lucky: Caller) -> None:
    player, method = lucky.player(), lucky.method()
    created = [deposit(player, method).json()["id"] for _ in range(3)]
    call_back(created[1], "failed")
    callbacks.apply_waiting()
    page = player.get("me/deposits?limit=2").json()
    rest = player.get(f"me/deposits?limit=2&cursor={page['next']}").json()
    assert [each["id"] for each in page["items"] + rest["items"]] == created[::-1]
    assert [each["id"] for each in player.get("me/deposits?status=failed").json()["items"]] == [created[1]]
    assert [each["id"] for each in lucky.get("deposits?status=failed").json()["items"]] == [created[1]]
    assert player.get("me/deposits?status=lost").json()["code"] == "unknown_choice"


def test_payments_are_listed_by_the_time_of_the_request(lucky: Caller) -> None:
    player, method, other = lucky.player(), lucky.method(), house("other")
    first, second = (deposit(player, method).json() for _ in range(2))
    since, until = first["requested_at"], second["requested_at"]
    for caller, path in ((player, "me/deposits"), (lucky, "deposits")):
        assert [each["id"] for each in caller.get(f"{path}?from={until}").json()["items"]] == [second["id"]]
        assert [each["id"] for each in caller.get(f"{path}?from={since}&to={until}").json()["items"]] == [first["id"]]
        assert caller.get(f"{path}?to={since}").json()["items"] == []
    assert other.get(f"deposits?from={since}").json()["items"] == []
    for path in ("me/withdrawals", "me/deposits"):
        assert player.get(f"{path}?from=2026-02-01&to=2026-01-01").json()["code"] == "period_reversed"
        assert player.get(f"{path}?from=2026-01-01&to=2026-02-01").json()["items"] == []
    assert player.get("me/deposits?cursor=???").json()["code"] == "invalid_cursor"


def test_nobody_sees_anothers_payments(lucky: Caller) -> None:
    player, method, other = lucky.player(), lucky.method(), house("other")
    created = deposit(player, method).json()["id"]
    assert lucky.player("second").get(f"me/deposits/{created}").json()["code"] == "unknown_deposit"
    assert lucky.player("second").get("me/deposits").json()["items"] == []
    assert other.get("deposits").json()["items"] == []
    assert other.player().get(f"me/deposits/{created}").status_code == 404
    assert deposit(other.player(), method).json()["code"] == "unknown_deposit_method"


def test_a_withdrawal_is_held_and_can_be_cancelled(lucky: Caller) -> None:
    player, method = lucky.player(), lucky.method()
    call_back(deposit(player, method).json()["id"], "completed")
    callbacks.apply_waiting()
    body = {"method": method, "amount": "30.00", "currency": "EUR"}
    created = player.post("me/withdrawals", **body)
    assert (created.status_code, created.json()["status"], created.json()["can_cancel"]) == (201, "in_review", True)
    assert (balance(player), balance(player, "hold")) == ("19.00", "30.00")
    assert player.post("me/withdrawals", **body).json()["code"] == "insufficient_funds"
    assert [each["id"] for each in lucky.get("withdrawals?status=in_review").json()["items"]] == [created.json()["id"]]
    held = player.get("me/statement?account=hold").json()["items"]
    assert [(line["kind"], line["amount"]["amount"]) for line in held] == [("withdrawal_held", "30.00")]
    cancelled = player.post(f"me/withdrawals/{created.json()['id']}/cancel")
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert balance(player) == "49.00"
    assert lucky.player("second").post(f"me/withdrawals/{created.json()['id']}/cancel").status_code == 404


def test_only_the_operator_reads_and_sets_the_policy(lucky: Caller) -> None:
    nothing = {"amount": "0.00", "currency": "EUR"}
    before = lucky.get("withdrawal-policy").json()
    free = {"fee_fixed": nothing, "fee_percent": "0", "maximum": None, "max_pending": None}
    minimum = {"minimum": {"amount": "0.01", "currency": "EUR"}}
    holds = {"played_percent": 100, "kyc_above": None, "hold_hours": 72, "hold_tags": []}
    amounts = {"auto_approve_up_to": nothing, "second_approval_above": nothing}
    assert before == {"version": 0, **amounts, **free, **minimum, **holds}
    created = lucky.post("withdrawal-policy", auto_approve_up_to="0", second_approval_above="100.00")
    assert (created.status_code, created.json()["version"]) == (201, 1)
    wrong = lucky.post("withdrawal-policy", auto_approve_up_to="5.00", second_approval_above="1.00")
    assert wrong.json()["code"] == "invalid_withdrawal_policy"
    assert lucky.player().get("withdrawal-policy").json()["code"] == "forbidden"


@pytest.mark.parametrize("header", [signatures.SIGNATURE, signatures.NONCE, signatures.TIMESTAMP])
def test_a_callback_with_a_missing_header_is_refused_and_changes_nothing(lucky: Caller, header: str) -> None:
    player, method = lucky.player(), lucky.method()
    created = deposit(player, method).json()["id"]
    for forged in ("", "0" * 40):
        answer = call_back(created, "completed", **{header: forged})
        assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
    assert callbacks.apply_waiting() == 0
    assert balance(player) == "0.00"


def test_refused_callbacks_are_recorded_once_an_hour_from_however_many_addresses(lucky: Caller, settings: Any) -> None:
    created = deposit(lucky.player(), lucky.method()).json()["id"]
    settings.PROXY_HOPS = 1
    for forged, address in (("", "127.0.0.1"), ("v1=" + "0" * 64, "127.0.0.1"), ("", "203.0.113.9")):
        call_back(created, "completed", **{signatures.SIGNATURE: forged, "X-Forwarded-For": address})
    call_back(created, "completed")
    events = SignificantEvent.objects.filter(subject="provider:sandbox")
    assert {(event.kind, event.reason, event.address, event.operator_id) for event in events} == {
        ("access_failed", "The callback's signature is invalid", "127.0.0.1", None)
    }
    assert len(events) <= 2  # the hour may have ended in between


def test_a_debt_is_shown_and_refuses_withdrawals(lucky: Caller) -> None:
    player, method = lucky.player(), lucky.method()
    created = deposit(player, method).json()["id"]
    call_back(created, "completed")
    callbacks.apply_waiting()
    player.post("me/withdrawals", method=method, amount="40.00", currency="EUR")
    call_back(created, "reversed")
    callbacks.apply_waiting()
    assert (balance(player), balance(player, "debt")) == ("0.00", "-40.00")
    assert player.get(f"me/deposits/{created}").json()["debt_created"] == {"amount": "40.00", "currency": "EUR"}
    refused = player.post("me/withdrawals", method=method, amount="1.00", currency="EUR")
    assert (refused.status_code, refused.json()["code"], refused.json()["owed"]) == (409, "debt_outstanding", "40.00")


def test_a_withdrawal_is_quoted_before_it_is_requested() -> None:
    lucky = house("terms")
    bounds = {"minimum": "10.00", "maximum": "500.00", "max_pending": 1, "fee_fixed": "0.50", "fee_percent": "1"}
    created = lucky.post("withdrawal-policy", auto_approve_up_to="0", second_approval_above="100.00", **bounds)
    assert (created.status_code, created.json()["fee_percent"], created.json()["max_pending"]) == (201, "1", 1)
    player = lucky.player()
    quote = player.get("me/withdrawal-quote?amount=50.00").json()
    assert (quote["fee"]["amount"], quote["net_amount"]["amount"], quote["approvals_required"]) == ("1.00", "49.00", 1)
    assert player.get("me/withdrawal-quote?amount=9.99").json()["refusal_code"] == "withdrawal_too_small"
    assert player.get("me/withdrawal-quote?amount=500.01").json()["refusal_code"] == "withdrawal_too_large"
    assert player.get("me/withdrawal-quote").status_code == 422
    for wrong in ({"max_pending": 0}, {"fee_percent": "100"}, {"minimum": "9.00", "maximum": "8.00"}):
        answer = lucky.post("withdrawal-policy", auto_approve_up_to="0", second_approval_above="0", **wrong)
        assert answer.status_code == 422
    assert lucky.get("withdrawal-policy").json()["version"] == 1


def test_the_limits_of_the_key_that_opened_a_session_bound_deposits_and_withdrawals(lucky: Caller) -> None:
    method, key = lucky.method(), lucky.key.partition(".")[0]
    player = lucky.player()
    for movement, per_day in ((Movement.DEPOSIT, 60_00), (Movement.WITHDRAWAL, 20_00)):
        key_limits.change(key=key, movement=movement, currency="EUR", limits=KeyLimits(per_day=per_day), by="command")

    first = deposit(player, method).json()["id"]
    assert deposit(player, method, "10.01").json()["code"] == "key_limit_reached"
    call_back(first, "completed")
    callbacks.apply_waiting()
    assert player.post("me/deposits/quick").json()["code"] == "key_limit_reached"

    def withdraw(amount: str) -> Any:
        answer = player.post("me/withdrawals", method=method, amount=amount, currency="EUR")
        return answer.json().get("code", answer.status_code)

    assert [withdraw(each) for each in ("20.01", "20.00", "0.01")] == ["key_limit_reached", 201, "key_limit_reached"]
    assert balance(player) == "29.00"

    launched = lucky.post("launches", player={"reference": "saver", "nickname": "Saver"}).json()["url"]
    code = {"code": launched.partition("launch=")[2]}
    traded = Client().post("/api/v1/sessions/launch", code, content_type="application/json").json()["token"]
    assert deposit(Caller(traded, lucky.operator), method, "10.01").json()["code"] == "key_limit_reached"
