"""Helpers of payment tests: Alice's accounts, deposit methods, and reports of a provider."""

import secrets
import time
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from tests.support.acts import agreed
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR, account
from wallet.events import CATALOGUE, entry_for
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, debt_account, hold_account, operator_account
from wallet.ledger.audit import check, compare_batch
from wallet.ledger.player_accounts import open_player_accounts
from wallet.payments import callbacks, deposits, methods, provider_messages, signatures, withdrawals
from wallet.payments.audit import PaymentTraces
from wallet.payments.methods import MethodOffer, MethodVersion
from wallet.payments.provider_reports import PaymentKind, ProviderReport, ProviderStatus
from wallet.payments.terms import DepositTerms

CALLBACK = "POST /api/v1/providers/sandbox/callbacks"
SECRET = "shared-with-the-provider-" + "s" * 20
URL = "http://127.0.0.1:9"
"""Port 9 (discard): nobody listens there."""
HOUSE: dict[str, Any] = {"operator": OPERATOR, "money_type": MoneyType.REAL, "currency": "EUR"}


def use_provider(monkeypatch: pytest.MonkeyPatch, url: str = URL) -> None:
    """Configure one provider, called sandbox, at this address."""
    monkeypatch.setattr(settings, "PAYMENT_PROVIDERS", {"sandbox": url}, raising=False)
    monkeypatch.setattr(settings, "PAYMENT_SECRETS", {"sandbox": [SECRET]}, raising=False)


def offer(**changes: Any) -> MethodOffer:
    terms = {"currency": "EUR", "minimum": 1000, "maximum": 200_000, "fee_fixed": 25, "fee_ppm": 15_000}
    chosen = {name: changes.pop(name, value) for name, value in terms.items()}
    rest = {
        "name": "Card",
        "provider": "sandbox",
        "processing_seconds": 60,
        "supports_withdrawals": True,
        "enabled": True,
    }
    return MethodOffer(terms=DepositTerms(**chosen), **{**rest, **changes})


def method(operator: UUID = OPERATOR, **changes: Any) -> MethodVersion:
    with agreed():
        return methods.create(operator=operator, offer=offer(**changes), actor="staff:1")


def open_alice() -> None:
    open_player_accounts(operator=OPERATOR, player=ALICE, currency="EUR", metadata=METADATA)


def deposit(by: MethodVersion, amount: int = 5000, player: UUID = ALICE) -> UUID:
    return deposits.request(
        operator=OPERATOR, player=player, currency="EUR", method=by.id, amount=amount, metadata=METADATA
    )


def withdraw(by: MethodVersion, amount: int = 1000) -> UUID:
    return withdrawals.request(
        operator=OPERATOR, player=ALICE, currency="EUR", method=by.id, amount=amount, metadata=METADATA
    )


def report(
    payment: UUID, status: str, *, kind: PaymentKind = PaymentKind.DEPOSIT, amount: int = 5000, **changes: Any
) -> ProviderReport:
    reference = changes.pop("reference", f"tx-{payment}")
    return ProviderReport(
        kind, payment, reference, ProviderStatus(status), amount, changes.pop("currency", "EUR"), **changes
    )


def complete_deposit(by: MethodVersion, amount: int = 5000) -> UUID:
    """Make a completed deposit of Alice and return its id."""
    payment = deposit(by, amount)
    assert deposits.apply(report(payment, "completed", amount=amount), provider="sandbox") == deposits.APPLIED
    return payment


def send(body: bytes, /, under: str = "", *, secret: str = SECRET, at: int = 0, **changes: Any) -> bool:
    """Deliver a signed body under a nonce, with other headers where `changes` says so."""
    signed = {"timestamp": str(int(time.time()) + at), "nonce": under or secrets.token_hex(16), "subject": CALLBACK}
    signature = signatures.sign(secret=secret, body=body, **signed)
    return callbacks.receive(**{"provider": "sandbox", "signature": signature, "body": body, **signed, **changes})


def call_back(callback: ProviderReport, *, nonce: str = "", **signed: Any) -> bool:
    """Deliver a report as a signed callback."""
    return send(provider_messages.encode_report(callback), nonce, **signed)


def balance_of(kind: AccountKind) -> int:
    """Return the real-money balance of one of Alice's or the operator's accounts."""
    owner = {"operator": OPERATOR, "player": ALICE, "money_type": MoneyType.REAL, "currency": "EUR"}
    own = {
        AccountKind.ACCOUNT: account(),
        AccountKind.HOLD: hold_account(**owner),
        AccountKind.DEBT: debt_account(**owner),
    }
    name = own.get(kind) or operator_account(kind=kind, **HOUSE)
    return store.balances([name])[name]


def status(payment: UUID, table: str = "wallet_deposit") -> str:
    return str(fetch(f"SELECT status FROM {table} WHERE id = %s", [payment])[0][0])  # noqa: S608


def history() -> list[tuple[int, str, int, Any]]:
    """Return every wallet event so far: id, stream, version, event."""
    rows = fetch("SELECT id, stream, version, type, schema, data::text FROM events_event ORDER BY id")
    return [
        (key, stream, version, CATALOGUE.decode(kind, schema, data))
        for key, stream, version, kind, schema, data in rows
        if kind in CATALOGUE
    ]


def event_names(stream: str) -> list[str]:
    return [type(event).__name__ for _, other, _, event in history() if other == stream]


def assert_consistent() -> None:
    """Check that events, entries, rows and queue agree, and that all accounts sum to zero."""
    assert list(check()) == []
    traces, events = PaymentTraces(), history()
    payments = [each for each in events if not each[1].startswith(("wallet-", "discrepancy-"))]
    findings = [
        finding
        for _, stream, version, event in payments
        for finding in traces.replay(event, stream=stream, version=version, where=stream)
    ]
    assert [*findings, *traces.check_state()] == []
    entries = [entry_for(event, key) for key, _, _, event in events]
    assert compare_batch([key for key, *_ in events], [entry for entry in entries if entry is not None]) == []
    assert fetch("SELECT coalesce(sum(balance), 0)::bigint FROM wallet_balance")[0][0] == 0
