"""The providers that this service was started with, by name."""

from typing import Final

from django.conf import settings
from django.utils.module_loading import import_string

from wallet.payments.provider import PaymentProvider
from wallet.payments.refusals import UnknownProvider

ADAPTER: Final = "wallet.payments.http_provider.HttpProvider"
"""By its name: only who talks to a provider pays for loading an HTTP client."""


def require_known(name: str) -> None:
    """Check that there is such a provider. Raises UnknownProvider."""
    if name not in settings.PAYMENT_PROVIDERS or not settings.PAYMENT_SECRETS.get(name):
        raise UnknownProvider(f"There is no provider {name[:40]!r}.")


def provider(name: str) -> PaymentProvider:
    """Return the adapter of a provider; it signs with the first of our secrets. Raises UnknownProvider."""
    require_known(name)
    adapter: PaymentProvider = import_string(ADAPTER)(
        url=settings.PAYMENT_PROVIDERS[name], secret=settings.PAYMENT_SECRETS[name][0]
    )
    return adapter


def secrets_of(name: str) -> list[str]:
    """List the secrets under which a provider may sign, newest first. Raises UnknownProvider."""
    require_known(name)
    secrets: list[str] = settings.PAYMENT_SECRETS[name]
    return secrets
