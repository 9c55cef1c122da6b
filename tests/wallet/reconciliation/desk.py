"""Helpers of reconciliation tests: payments that both sides have, and changes to the provider's records."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx
import msgspec

from casino.events.sql import execute
from casino.observability.process import ssl_context
from casino.operators import changes
from casino.operators.models import Operator
from tests.support.acts import agreed
from tests.support.payouts import pay_unplayed
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

    def tell(self, path: str, **fields: Any) -> Any:
        """Change the provider's records."""
        body = msgspec.json.encode(fields)
        signed = {"timestamp": str(int(time.time())), "nonce": "n" * 16, "subject": f"POST /v1/records{path}"}
        headers = signatures.headers(secret=SECRET, body=body, **signed)
        response = httpx.post(f"{self.url}/v1/records{path}", content=body, headers=headers, verify=ssl_context())
        assert response.status_code in {200, 201}
        return response.json()

    def deposit(self, amount: int = 5000) -> UUID:
        """Make a deposit that both sides have as completed."""
        payment = deposit(self.card, amount)
        self.settle(payment, PaymentKind.DEPOSIT, amount)
        return payment

    def payout(self, amount: int = 1000) -> UUID:
        """Make a withdrawal that both sides have as paid."""
        payment = withdraw(self.card, amount)
        self.approve(payment)
        self.settle(payment, PaymentKind.PAYOUT, amount)
        return payment

    def approve(self, payment: UUID) -> None:
        """Let a withdrawal go out."""
        waits = withdrawals.approve(payment, staff="staff:1", metadata=METADATA)
        if waits is not None:
            changes.confirm(waits.pk, by="staff:2")
        assert withdrawals.send(payment)

    def settle(self, payment: UUID, kind: PaymentKind, amount: int) -> ProviderReport:
        """Start a payment with the provider and apply its final report."""
        adapter = provider("sandbox")
        start = adapter.start_deposit if kind is PaymentKind.DEPOSIT else adapter.start_payout
        report = start(payment=payment, amount=amount, currency="EUR", account=ACCOUNT)
        until = time.monotonic() + 10
        while report.status.value == "pending" and time.monotonic() < until:
            time.sleep(0.02)
            report = adapter.status(kind=kind, payment=payment)
        apply = deposits.apply if kind is PaymentKind.DEPOSIT else withdrawals.apply
        assert apply(report, provider="sandbox") == "applied"
        return report

    def yesterday(self, kind: str, payment: UUID) -> None:
        """Move a payment to yesterday on both sides."""
        table = "wallet_deposit" if kind == "deposits" else "wallet_withdrawal"
        execute(f"UPDATE {table} SET requested_at = requested_at - interval '1 day' WHERE id = %s", [payment])  # noqa: S608
        self.tell(f"/{kind}/{payment}", at=(datetime.now(UTC) - timedelta(days=1)).isoformat())


def open_desk(url: str) -> Desk:
    """Create an operator with a method of the provider at this address, and open Alice's accounts."""
    with agreed():
        Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"])
    pay_unplayed(OPERATOR)
    open_alice()
    return Desk(url, method(fee_fixed=0, fee_ppm=0))


def today() -> list[ReconciliationResult]:
    """Compare today's payments so far."""
    return services.compare_day(TODAY)
