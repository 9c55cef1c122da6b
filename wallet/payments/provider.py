"""The interface of payment providers' adapters."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport


class ProviderUnavailable(Exception):
    """The provider could not be reached or gave no valid response: whether it acted is unknown."""


class PaymentRefused(Exception):
    """The provider refuses this payment for good."""


class UnknownPayment(Exception):
    """The provider does not know the payment."""


class PaymentProvider(Protocol):
    """Amounts are minor units. `payment` is our id: starting the same payment again has no effect.

    `account` is the operator whose payment it is. Every method raises ProviderUnavailable; starting raises
    PaymentRefused, `status` raises UnknownPayment.
    """

    def start_deposit(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """Start a deposit."""
        ...

    def start_payout(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """Start a payout."""
        ...

    def status(self, *, kind: PaymentKind, payment: UUID) -> ProviderReport:
        """Get the status of a payment."""
        ...

    def records(self, *, account: str, since: datetime, until: datetime) -> list[ProviderRecord]:
        """List the payments started for an account in a period, `since` included and `until` excluded."""
        ...
