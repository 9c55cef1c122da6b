"""A provider that keeps records of its own, and payments that both sides have, for tests of reconciliation."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import msgspec

from casino.events.sql import execute
from casino.observability import http
from casino.operators.models import Operator
from tests.wallet.ledger.world import METADATA, OPERATOR
from tests.wallet.payments.counter import SECRET, deposit, method, open_alice, withdraw
from wallet.payments import deposits, signatures, withdrawals
from wallet.payments.methods import MethodVersion
from wallet.payments.provider_reports import PaymentKind, ProviderReport
from wallet.payments.providers import provider
from wallet.reconciliation import services
from wallet.reconciliation.services import ReconciliationResult
from wallet.reconciliation.sources import ReconciliationDay

ACCOUNT = str(OPERATOR)
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)

_NOW = datetime.now(UTC)
TODAY = ReconciliationDay(OPERATOR, "sandbox", _NOW.date(), _NOW - timedelta(hours=1), _NOW + timedelta(hours=1))


@dataclass(frozen=True, slots=True)
class Desk:
    """The provider at an address, and a method by it."""

    url: str
    card: MethodVersion

    def tell(self, path: str, **given: Any) -> Any:
        """Has the provider's records say something else."""
        body = msgspec.json.encode(given)
        headers = signatures.headers(secret=SECRET, timestamp=str(int(time.time())), nonce="n" * 16, body=body)
        answer = httpx.post(f"{self.url}/v1/records{path}", content=body, headers=headers, verify=http.ssl_context())
        assert answer.status_code in {200, 201}
        return answer.json()

    def deposit(self, amount: int = 5000) -> UUID:
        """A deposit that both sides have as completed."""
        made = deposit(self.card, amount)
        self.settle(made, PaymentKind.DEPOSIT, amount)
        return made

    def payout(self, amount: int = 1000) -> UUID:
        """A withdrawal that both sides have as paid."""
        made = withdraw(self.card, amount)
        for who in ("staff:1", "staff:2"):
            withdrawals.approve(made, staff=who, metadata=METADATA)
        assert withdrawals.send(made)
        self.settle(made, PaymentKind.PAYOUT, amount)
        return made

    def settle(self, payment: UUID, kind: PaymentKind, amount: int) -> ProviderReport:
        """Starts a payment with the provider and applies what it says in the end."""
        adapter = provider("sandbox")
        start = adapter.start_deposit if kind is PaymentKind.DEPOSIT else adapter.start_payout
        told = start(payment=payment, amount=amount, currency="EUR", account=ACCOUNT)
        until = time.monotonic() + 10
        while told.status.value == "pending" and time.monotonic() < until:
            time.sleep(0.02)
            told = adapter.status(kind=kind, payment=payment)
        apply = deposits.apply if kind is PaymentKind.DEPOSIT else withdrawals.apply
        assert apply(told, provider="sandbox") == "applied"
        return told

    def yesterday(self, kind: str, payment: UUID) -> None:
        """Has a payment be of yesterday, on both sides."""
        table = "wallet_deposit" if kind == "deposits" else "wallet_withdrawal"
        execute(f"UPDATE {table} SET requested_at = requested_at - interval '1 day' WHERE id = %s", [payment])  # noqa: S608
        self.tell(f"/{kind}/{payment}", at=(datetime.now(UTC) - timedelta(days=1)).isoformat())


def open_desk(url: str) -> Desk:
    """An operator with a method by a provider at this address, and Alice."""
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currency="EUR")
    open_alice()
    return Desk(url, method(fee_fixed=0, fee_ppm=0))


def today() -> list[ReconciliationResult]:
    """Compares what was done so far today."""
    return services.compare_day(TODAY)
