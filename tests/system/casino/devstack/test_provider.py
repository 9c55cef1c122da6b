"""The sandbox provider as a process of its own, over real HTTP: what it answers, and how it calls back on request."""

import json
import threading
import time
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from casino.devstack.provider.behaviour import PLANS, PaymentPlan, plan_for
from casino.observability.process import ssl_context
from tests.processes import wait_until
from tests.wallet.payments.counter import SECRET
from tests.wallet.payments.sandbox import running_provider
from wallet.payments import signatures
from wallet.payments.http_provider import HttpProvider
from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.payments.providers import PaymentRefused, ProviderUnavailable, UnknownPayment


class Ear(ThreadingHTTPServer):
    """Takes callbacks, and keeps what came with each: whether it was well signed, and what it said."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Listener)
        self.heard: list[tuple[bool, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def about(self, payment: UUID) -> list[tuple[bool, str]]:
        return [(good, told["status"]) for good, told in list(self.heard) if told["payment"] == str(payment)]


class Listener(BaseHTTPRequestHandler):
    """One callback."""

    server: Ear

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        given = {name: self.headers.get(header, "") for name, header in HEADERS.items()}
        good = signatures.verify(keys=[SECRET], subject=f"POST {self.path}", body=body, **given)
        self.server.heard.append((good, json.loads(body)))
        self.send_response(202 if good else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


HEADERS = {"timestamp": signatures.TIMESTAMP, "nonce": signatures.NONCE, "signature": signatures.SIGNATURE}


@pytest.fixture(scope="module")
def ear() -> Generator[Ear]:
    listening = Ear()
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield listening
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.fixture(scope="module")
def url(ear: Ear, tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with running_provider(tmp_path_factory.mktemp("provider"), callbacks=ear.url) as (address, _):
        yield address


@pytest.fixture
def adapter(url: str) -> HttpProvider:
    return HttpProvider(url=url, secrets=[SECRET])


def start(adapter: HttpProvider, amount: int = 5000) -> UUID:
    payment = uuid4()
    adapter.start_deposit(payment=payment, amount=amount, currency="EUR")
    return payment


def test_a_payment_is_accepted_once_and_completes(adapter: HttpProvider, ear: Ear) -> None:
    payment = uuid4()
    first = adapter.start_deposit(payment=payment, amount=5000, currency="EUR")
    again = adapter.start_deposit(payment=payment, amount=5000, currency="EUR")
    assert (first.status, first.reference) == (ProviderStatus.PENDING, again.reference)
    assert wait_until(lambda: ear.about(payment) == [(True, "completed")])
    assert adapter.status(kind=PaymentKind.DEPOSIT, payment=payment).status is ProviderStatus.COMPLETED


def test_the_same_payment_with_another_amount_is_refused(adapter: HttpProvider) -> None:
    payment = start(adapter)
    with pytest.raises(PaymentRefused):
        adapter.start_deposit(payment=payment, amount=5100, currency="EUR")


@pytest.mark.parametrize(
    ("cents", "heard"),
    [
        (11, [(True, "failed")]),
        (14, [(True, "completed")] * 5),
        (15, [(True, "completed"), (True, "pending"), (True, "failed")]),
        (16, [(False, "completed")]),
        (17, [(False, "completed")]),
        (21, [(True, "completed"), (True, "reversed")]),
    ],
)
def test_callbacks_misbehave_on_request(
    adapter: HttpProvider, ear: Ear, cents: int, heard: list[tuple[bool, str]]
) -> None:
    payment = start(adapter, 5000 + cents)
    assert wait_until(lambda: ear.about(payment) == heard, seconds=60), ear.about(payment)


def test_late_callbacks_leave_a_payment_pending_and_missing_ones_can_be_queried(
    adapter: HttpProvider, ear: Ear
) -> None:
    late, never = start(adapter, 5012), start(adapter, 5013)
    assert adapter.status(kind=PaymentKind.DEPOSIT, payment=late).status is ProviderStatus.PENDING
    assert wait_until(
        lambda: adapter.status(kind=PaymentKind.DEPOSIT, payment=never).status is ProviderStatus.COMPLETED
    )
    assert ear.about(never) == []


def test_a_payout_and_a_deposit_with_the_same_id_are_different_payments(adapter: HttpProvider) -> None:
    payment = start(adapter)
    with pytest.raises(UnknownPayment):
        adapter.status(kind=PaymentKind.PAYOUT, payment=payment)
    assert adapter.start_payout(payment=payment, amount=100, currency="EUR").kind is PaymentKind.PAYOUT


def test_a_start_is_refused_fails_or_hangs_on_request(adapter: HttpProvider) -> None:
    with pytest.raises(PaymentRefused):
        start(adapter, 5022)
    for amount in (5018, 5019):
        payment = uuid4()
        with pytest.raises(ProviderUnavailable):
            adapter.start_deposit(payment=payment, amount=amount, currency="EUR")
        assert adapter.start_deposit(payment=payment, amount=amount, currency="EUR").payment == payment


def test_unsigned_requests_are_refused(url: str, adapter: HttpProvider) -> None:
    payment = start(adapter)
    assert httpx.get(f"{url}/v1/deposits/{payment}", verify=ssl_context()).status_code == 401
    with pytest.raises(ProviderUnavailable, match="401"):
        HttpProvider(url=url, secrets=["another"]).status(kind=PaymentKind.DEPOSIT, payment=payment)


def test_a_signature_holds_for_one_method_and_target(url: str, adapter: HttpProvider) -> None:
    deposit = f"/v1/deposits/{start(adapter)}"
    made_for = {"timestamp": str(int(time.time())), "nonce": uuid4().hex, "subject": f"GET {deposit}", "body": b""}
    headers = signatures.headers(secret=SECRET, **made_for)
    sent = {
        path: httpx.get(url + path, headers=headers, verify=ssl_context()).status_code
        for path in (deposit, "/v1/payments")
    }
    assert sent == {deposit: 200, "/v1/payments": 401}
    assert httpx.post(f"{url}{deposit}/reversed", headers=headers, verify=ssl_context()).status_code == 401


def test_an_unavailable_provider_gives_no_answer() -> None:
    with pytest.raises(ProviderUnavailable):
        HttpProvider(url="http://127.0.0.1:9", secrets=[SECRET]).status(kind=PaymentKind.DEPOSIT, payment=uuid4())


def test_payments_survive_a_restart(tmp_path: Path, ear: Ear) -> None:
    with running_provider(tmp_path, callbacks=ear.url) as (url, process):
        payment = start(HttpProvider(url=url, secrets=[SECRET]), 5012)
        process.kill()
        process.wait()
    with running_provider(tmp_path, callbacks=ear.url) as (url, _):
        adapter = HttpProvider(url=url, secrets=[SECRET])
        assert wait_until(
            lambda: adapter.status(kind=PaymentKind.DEPOSIT, payment=payment).status is ProviderStatus.COMPLETED
        )
        assert wait_until(lambda: ear.about(payment) == [(True, "completed")])


def test_the_status_of_a_payment_can_be_changed_and_all_payments_are_listed(
    url: str, adapter: HttpProvider, ear: Ear
) -> None:
    payment = start(adapter)
    assert wait_until(lambda: len(ear.about(payment)) == 1)
    turned = signed("POST", f"{url}/v1/deposits/{payment}/reversed")
    assert turned.json()["status"] == "reversed"
    assert wait_until(lambda: ear.about(payment)[-1] == (True, "reversed"))
    listed = signed("GET", f"{url}/v1/payments").json()["items"]
    assert {"payment": str(payment), "status": "reversed"}.items() <= listed[-1].items()
    assert signed("GET", f"{url}/v1/nothing").status_code == 404
    assert signed("POST", f"{url}/v1/deposits/{uuid4()}/reversed").status_code == 404
    assert signed("POST", f"{url}/v1/deposits", b'{"payment": 1}').status_code == 400


def signed(method: str, address: str, body: bytes = b"") -> httpx.Response:
    subject = f"{method} {httpx.URL(address).raw_path.decode()}"
    timestamp, nonce = str(int(time.time())), uuid4().hex
    headers = signatures.headers(secret=SECRET, timestamp=timestamp, nonce=nonce, subject=subject, body=body)
    return httpx.request(method, address, content=body, headers=headers, verify=ssl_context())


def test_the_last_two_digits_of_an_amount_choose_the_plan() -> None:
    assert plan_for("50.13") is PLANS[13]
    assert plan_for("50.00") == plan_for("7") == PaymentPlan()
