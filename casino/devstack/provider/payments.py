"""The sandbox provider's payments, kept in a file of JSON lines, and its records of a period for reconciliation."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

Answer = tuple[int, object]
"""Status and JSON document of a response."""
MAX_PAGE_SIZE: Final = 500
_KINDS: Final = {"deposits": "deposit", "payouts": "payout"}
_CHANGEABLE: Final = frozenset({"amount", "status", "currency", "at"})


def now() -> str:
    """Return the time in the format of records."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


@dataclass(frozen=True, slots=True)
class SandboxPayment:
    """One payment; `payment` is the caller's id, `reference` our own.

    `account` is the account at the caller, `at` the time of acceptance (RFC 3339); callbacks contain neither.
    """

    kind: str
    payment: str
    reference: str
    status: str
    amount: str
    currency: str
    reason: str = ""
    account: str = ""
    at: str = ""

    def callback_body(self) -> dict[str, str]:
        """Return the body of a callback about the payment."""
        return {name: value for name, value in asdict(self).items() if name not in {"account", "at"}}


class PaymentStore:
    """Payments by kind and the caller's id. Every change appends a line to the file, if there is one."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._payments: dict[tuple[str, str], SandboxPayment] = {}
        if file is not None and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                self._set(SandboxPayment(**json.loads(line)))

    def __len__(self) -> int:
        return len(self._payments)

    def find(self, kind: str, payment: str) -> SandboxPayment | None:
        return self._payments.get((kind, payment))

    def all(self) -> list[SandboxPayment]:
        """List all payments in the order of acceptance."""
        return list(self._payments.values())

    def pending(self) -> list[SandboxPayment]:
        return [payment for payment in self._payments.values() if payment.status == "pending"]

    def add(self, payment: SandboxPayment) -> None:
        """Add or update a payment."""
        self._set(payment)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(payment)) + "\n")

    def set_status(self, payment: SandboxPayment, status: str) -> SandboxPayment:
        changed = replace(payment, status=status, reason=f"sandbox: {status}")
        self.add(changed)
        return changed

    def _set(self, payment: SandboxPayment) -> None:
        self._payments[payment.kind, payment.payment] = payment


class Records:
    """The records of a period, from which tests can omit payments, and which they can change or invent."""

    def __init__(self, store: PaymentStore) -> None:
        self._store = store
        self._omitted: set[tuple[str, str]] = set()
        self._changed: dict[tuple[str, str], dict[str, str]] = {}
        self._invented: list[SandboxPayment] = []

    def is_omitted(self, payment: SandboxPayment) -> bool:
        """Return whether the provider denies this payment."""
        return (payment.kind, payment.payment) in self._omitted

    def page(self, query: dict[str, list[str]]) -> Answer:
        """Return a page of an account's payments accepted within a period: `limit` of them after `cursor`."""
        parameters = {name: values[0] for name, values in query.items()}
        try:
            since, until = datetime.fromisoformat(parameters["from"]), datetime.fromisoformat(parameters["to"])
            start, limit = (
                int(parameters.get("cursor", "0")),
                min(MAX_PAGE_SIZE, max(1, int(parameters.get("limit", "100")))),
            )
        except (KeyError, ValueError):
            return 400, {"error": "malformed"}
        account = parameters.get("account", "")
        payments = [
            payment
            for payment in self._recorded_payments()
            if payment.account == account and since <= datetime.fromisoformat(payment.at) < until
        ]
        next_cursor = str(start + limit) if len(payments) > start + limit else None
        page = payments[start : start + limit]
        return 200, {"items": [_record(payment) for payment in page], "next": next_cursor}

    def distort(self, path: list[str], body: bytes) -> Answer:
        """Invent a record, or change or omit a payment's record from now on."""
        try:
            changes: dict[str, Any] = json.loads(body)
            if not path:
                self._invented.append(SandboxPayment(**{"at": now(), **changes}))
                return 201, changes
            kind, payment = path
            key = _KINDS[kind], payment
        except (ValueError, TypeError, KeyError):
            return 400, {"error": "malformed"}
        self._omitted.discard(key)
        if changes.get("omit"):
            self._omitted.add(key)
        self._changed[key] = {name: value for name, value in changes.items() if name in _CHANGEABLE}
        return 200, changes

    def _recorded_payments(self) -> list[SandboxPayment]:
        payments = [payment for payment in self._store.all() if payment.at and not self.is_omitted(payment)]
        changed = [replace(payment, **self._changed.get((payment.kind, payment.payment), {})) for payment in payments]
        invented = [payment for payment in self._invented if not self.is_omitted(payment)]
        return sorted([*changed, *invented], key=lambda payment: (payment.at, payment.payment))


def _record(payment: SandboxPayment) -> dict[str, str]:
    return {name: value for name, value in asdict(payment).items() if name not in {"reason", "account"}}
