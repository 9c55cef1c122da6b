"""Responses of a provider over real HTTP: only those are believed that it signed for the request at hand."""

import json
import time
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest

from casino.events.sql import execute, fetch
from casino.significant.models import SignificantEvent
from tests.threads import serving
from tests.wallet.ledger.world import OPERATOR
from tests.wallet.payments import counter
from tests.wallet.payments.counter import deposit, method, open_alice, status, use_provider
from wallet.payments import processor, signatures
from wallet.payments.http_provider import HttpProvider
from wallet.payments.provider_reports import PaymentKind, ProviderStatus
from wallet.payments.providers import ProviderUnavailable, UnknownPayment

SECRET, OLD_SECRET, PAYMENT = "new-" + "n" * 32, "old-" + "o" * 32, UUID(int=7)
REPORT = {"kind": "deposit", "payment": str(PAYMENT), "reference": "tx", "status": "completed", "amount": "50.00"}
BODY = json.dumps({**REPORT, "currency": "EUR"}).encode()
Signer = Callable[[str], dict[str, str]]
"""Returns the headers of the response to a request with this nonce."""


class Provider(ThreadingHTTPServer):
    """Responds to everything with one status and body, and with the headers of a signer."""

    daemon_threads = True
    status = 200
    body = BODY
    signer: Signer

    def adapter(self) -> HttpProvider:
        return HttpProvider(url=f"http://127.0.0.1:{self.server_port}", secrets=[SECRET, OLD_SECRET])

    def answer(self) -> ProviderStatus:
        return self.adapter().status(kind=PaymentKind.DEPOSIT, payment=PAYMENT).status


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.send_response(self.server.status)
        for name, text in self.server.signer(self.headers[signatures.NONCE]).items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *arguments: object) -> None:
        """Write no log."""


@pytest.fixture
def provider() -> Generator[Provider]:
    with serving(Provider(("127.0.0.1", 0), Handler)) as server:
        yield server


def signer(*, secret: str = SECRET, subject: str = "200", body: bytes = BODY, late: int = 0, nonce: str = "") -> Signer:
    timestamp = str(int(time.time()) - late)
    return lambda sent: signatures.headers(
        secret=secret, timestamp=timestamp, nonce=nonce or sent, subject=subject, body=body
    )


@pytest.mark.parametrize("secret", [SECRET, OLD_SECRET])
def test_a_response_signed_with_one_of_the_secrets_is_believed(provider: Provider, secret: str) -> None:
    provider.signer = signer(secret=secret)
    assert provider.answer() is ProviderStatus.COMPLETED


@pytest.mark.parametrize(
    "forged",
    [
        lambda _: {},
        signer(secret="another"),
        signer(subject="404"),
        signer(subject=f"GET /v1/deposits/{PAYMENT}"),
        signer(body=BODY.replace(b"completed", b"pending")),
        signer(late=3600),
        signer(nonce="0" * 32),
    ],
    ids=["unsigned", "other secret", "other status", "a request", "other body", "old", "for another request"],
)
def test_any_other_response_is_no_answer(provider: Provider, forged: Signer) -> None:
    provider.signer = forged
    with pytest.raises(ProviderUnavailable, match="without a valid signature"):
        provider.answer()


def test_that_a_payment_is_unknown_is_believed_only_if_signed(provider: Provider) -> None:
    provider.status, provider.signer = 404, lambda _: {}
    with pytest.raises(ProviderUnavailable):
        provider.answer()
    provider.signer = signer(subject="404")
    with pytest.raises(UnknownPayment):
        provider.answer()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("members", "outcome"),
    [
        ({"amount": "40.00"}, "amount_mismatch"),
        ({"amount": 50}, "unreadable"),
        ({"payment": str(UUID(int=8))}, "unreadable"),
        ({"reference": "a\0"}, "unreadable"),
    ],
)
def test_a_signed_answer_that_cannot_be_applied_is_stored_once_and_told(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, members: dict[str, Any], outcome: str
) -> None:
    use_provider(monkeypatch, provider.adapter().url)
    open_alice()
    payment = deposit(method())
    provider.body = json.dumps({**REPORT, "currency": "EUR", "payment": str(payment), **members}).encode()
    provider.signer = signer(secret=counter.SECRET, body=provider.body)
    for _ in range(2):
        assert processor.poll_due_payments() == 1
        execute("UPDATE wallet_payment_due SET due_at = clock_timestamp()")
    assert fetch("SELECT payment_id, outcome FROM wallet_providercallback") == [(payment, outcome)]
    (event,) = SignificantEvent.objects.filter(kind="payment_unapplied")
    assert (event.operator_id, event.subject) == (OPERATOR, f"payment:{payment}")
    assert fetch("SELECT error FROM wallet_payment_due") == [(outcome,)]
    assert status(payment) == "pending"
