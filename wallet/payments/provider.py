"""What we need of a payment provider, and nothing more. Each provider has an adapter that gives just this."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport


class ProviderUnavailable(Exception):
    """The provider could not be reached, or said nothing that can be relied on: whether it acted is unknown."""


class PaymentRefused(Exception):
    """The provider will not take this payment on, now or later."""


class PaymentNotFound(Exception):
    """The provider knows of no such payment."""


class PaymentProvider(Protocol):
    """Amounts are minor units. `payment` is our id: starting the same payment again starts nothing new.

    `account` says whose a payment is among all that we ask for: an operator. Every method raises NoAnswer; starting
    raises Refused, `status` raises NotThere.
    """

    def start_deposit(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """Ask for money."""
        ...

    def start_payout(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """Ask to pay money out."""
        ...

    def status(self, *, kind: PaymentKind, payment: UUID) -> ProviderReport:
        """Ask what has become of a payment."""
        ...

    def records(self, *, account: str, since: datetime, until: datetime) -> list[ProviderRecord]:
        """Ask for all that was taken on for an account in a period, `since` included and `until` not."""
        ...
