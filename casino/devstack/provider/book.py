"""The payments that the sandbox provider knows, kept in a file of JSON lines so that a restart forgets none."""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SandboxPayment:
    """One payment; `payment` is the caller's id, `reference` our own.

    `account` is whose it is among the caller's, `at` when it was taken on (RFC 3339); reports leave both out.
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
        """Shape what is said of the payment by itself."""
        return {name: value for name, value in asdict(self).items() if name not in {"account", "at"}}


class PaymentStore:
    """Payments by kind and the caller's id; every change is a line of the file, where there is one."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._payments: dict[tuple[str, str], SandboxPayment] = {}
        if file is not None and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                self._keep(SandboxPayment(**json.loads(line)))

    def __len__(self) -> int:
        return len(self._payments)

    def find(self, kind: str, payment: str) -> SandboxPayment | None:
        return self._payments.get((kind, payment))

    def all(self) -> list[SandboxPayment]:
        """List every payment in the order in which it was taken on."""
        return list(self._payments.values())

    def pending(self) -> list[SandboxPayment]:
        return [payment for payment in self._payments.values() if payment.status == "pending"]

    def add(self, payment: SandboxPayment) -> None:
        """Take a payment on, or bring it up to date."""
        self._keep(payment)
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(payment)) + "\n")

    def set_status(self, payment: SandboxPayment, status: str) -> SandboxPayment:
        changed = replace(payment, status=status, reason=f"sandbox: {status}")
        self.add(changed)
        return changed

    def _keep(self, payment: SandboxPayment) -> None:
        self._payments[payment.kind, payment.payment] = payment
