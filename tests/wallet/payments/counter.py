"""A player, methods, and a provider's reports, as the tests of payments share them."""

import secrets
import time
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings

from casino.events.sql import fetch
from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR, account
from wallet.audit.registry import CATALOGUE, entry_for
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, debt_account, hold_account, operator_account
from wallet.ledger.audit import check, compare_batch
from wallet.ledger.player_accounts import open_player_accounts
from wallet.payments import callbacks, deposits, methods, provider_messages, signatures, withdrawals
from wallet.payments.audit import PaymentTraces
from wallet.payments.fees import DepositTerms
from wallet.payments.methods import MethodOffer, MethodVersion
from wallet.payments.provider_reports import PaymentKind, ProviderReport, ProviderStatus

SECRET = "shared-with-the-provider-" + "s" * 20
URL = "http://127.0.0.1:9"
"""Port 9 (discard): nobody listens there."""
HOUSE: dict[str, Any] = {"operator": OPERATOR, "money_type": MoneyType.REAL, "currency": "EUR"}


def use_provider(monkeypatch: pytest.MonkeyPatch, url: str = URL) -> None:
    """One provider called sandbox, at this address."""
    monkeypatch.setattr(settings, "PAYMENT_PROVIDERS", {"sandbox": url}, raising=False)
    monkeypatch.setattr(settings, "PAYMENT_SECRETS", {"sandbox": [SECRET]}, raising=False)


def offer(**changes: Any) -> MethodOffer:
    terms = {"currency": "EUR", "minimum": 1000, "maximum": 200_000, "fee_fixed": 25, "fee_ppm": 15_000}
    given = {name: changes.pop(name, value) for name, value in terms.items()}
    rest = {
        "name": "Card",
        "provider": "sandbox",
        "processing_seconds": 60,
        "supports_withdrawals": True,
        "enabled": True,
    }
    return MethodOffer(terms=DepositTerms(**given), **{**rest, **changes})


def method(**changes: Any) -> MethodVersion:
    return methods.create(operator=OPERATOR, offer=offer(**changes), actor="test")


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
    payment: UUID, said: str, *, kind: PaymentKind = PaymentKind.DEPOSIT, amount: int = 5000, **changes: Any
) -> ProviderReport:
    reference = changes.pop("reference", f"tx-{payment}")
    return ProviderReport(
        kind, payment, reference, ProviderStatus(said), amount, changes.pop("currency", "EUR"), **changes
    )


def funded(by: MethodVersion, amount: int = 5000) -> UUID:
    """A completed deposit of Alice's."""
    made = deposit(by, amount)
    assert deposits.apply(report(made, "completed", amount=amount), provider="sandbox") == deposits.APPLIED
    return made


def call_back(told: ProviderReport, *, nonce: str = "", secret: str = SECRET, at: int = 0) -> bool:
    """Delivers a report as a signed callback."""
    body = provider_messages.encode_report(told)
    nonce, timestamp = nonce or secrets.token_hex(16), str(int(time.time()) + at)
    signature = signatures.sign(secret=secret, timestamp=timestamp, nonce=nonce, body=body)
    return callbacks.receive(provider="sandbox", timestamp=timestamp, nonce=nonce, signature=signature, body=body)


def holds(kind: AccountKind) -> int:
    """What one of Alice's or the operator's real accounts holds."""
    who = {"operator": OPERATOR, "player": ALICE, "money_type": MoneyType.REAL, "currency": "EUR"}
    own = {AccountKind.ACCOUNT: account(), AccountKind.HOLD: hold_account(**who), AccountKind.DEBT: debt_account(**who)}
    name = own.get(kind) or operator_account(kind=kind, **HOUSE)
    return store.balances([name])[name]


def status(payment: UUID, table: str = "wallet_deposit") -> str:
    return str(fetch(f"SELECT status FROM {table} WHERE id = %s", [payment])[0][0])  # noqa: S608


def history() -> list[tuple[int, str, int, Any]]:
    """Every event of the wallet's so far: id, stream, version, event."""
    rows = fetch("SELECT id, stream, version, type, schema, data::text FROM events_event ORDER BY id")
    return [
        (key, stream, version, CATALOGUE.decode(kind, schema, data))
        for key, stream, version, kind, schema, data in rows
        if kind in CATALOGUE
    ]


def names(stream: str) -> list[str]:
    return [type(event).__name__ for _, found, _, event in history() if found == stream]


def agree() -> None:
    """Events, entries, rows and queue tell one story, and all accounts sum to zero."""
    assert list(check()) == []
    audited, happened = PaymentTraces(), history()
    payments = [each for each in happened if not each[1].startswith("wallet-")]
    found = [
        finding
        for _, stream, version, event in payments
        for finding in audited.replay(event, stream=stream, version=version, where=stream)
    ]
    assert [*found, *audited.check_state()] == []
    entries = [entry_for(event, key) for key, _, _, event in happened]
    assert compare_batch([key for key, *_ in happened], [entry for entry in entries if entry is not None]) == []
    assert fetch("SELECT coalesce(sum(balance), 0)::bigint FROM wallet_balance")[0][0] == 0
