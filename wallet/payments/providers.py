"""Payment providers: the interface of their adapters, and the configured ones by name."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.conf import settings

from wallet.payments.provider_reports import PaymentKind, ProviderRecord, ProviderReport
from wallet.payments.refusals import UnknownProvider


class ProviderUnavailable(Exception):
    """The provider could not be reached or gave no valid response: whether it acted is unknown."""


class AnswerNotUnderstood(Exception):
    """The provider signed an answer that is no report of the payment; `body` is what it sent."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body


class PaymentRefused(Exception):
    """The provider refuses this payment for good."""


class UnknownPayment(Exception):
    """The provider does not know the payment."""


class RecordKeeper(Protocol):
    """Whoever keeps records of payments, which reconciliation compares with ours. `payment` is our id.

    Every method raises ProviderUnavailable; `status` raises UnknownPayment, AnswerNotUnderstood.
    """

    def status(self, *, kind: PaymentKind, payment: UUID) -> ProviderReport:
        """Get the status of a payment."""
        ...

    def records(self, *, account: str, since: datetime, until: datetime) -> list[ProviderRecord]:
        """List the payments started for an account in a period, `since` included and `until` excluded."""
        ...


class PaymentProvider(RecordKeeper, Protocol):
    """An adapter. Amounts are minor units; `payment` is our id, and starting the same payment again has no effect.

    `account` is the operator whose payment it is. Every method raises ProviderUnavailable, AnswerNotUnderstood;
    starting raises PaymentRefused, `status` raises UnknownPayment.
    """

    def start_deposit(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """Start a deposit."""
        ...

    def start_payout(self, *, payment: UUID, amount: int, currency: str, account: str = "") -> ProviderReport:
        """Start a payout."""
        ...


def require_known(name: str) -> None:
    """Check that a provider is configured. Raises UnknownProvider."""
    if name not in settings.PAYMENT_PROVIDERS or not settings.PAYMENT_SECRETS.get(name):
        raise UnknownProvider(f"There is no provider {name[:40]!r}.")


def provider(name: str) -> PaymentProvider:
    """Return a provider's adapter. Only workers need its HTTP client.

    Raises UnknownProvider.
    """
    require_known(name)
    from wallet.payments.http_provider import HttpProvider

    return HttpProvider(url=settings.PAYMENT_PROVIDERS[name], secrets=settings.PAYMENT_SECRETS[name])


def secrets_of(name: str) -> list[str]:
    """List the secrets that a provider may sign with, newest first. Raises UnknownProvider."""
    require_known(name)
    secrets: list[str] = settings.PAYMENT_SECRETS[name]
    return secrets
