"""The configured payment providers, by name."""

from django.conf import settings

from wallet.payments.provider import PaymentProvider
from wallet.payments.refusals import UnknownProvider


def require_known(name: str) -> None:
    """Check that a provider is configured. Raises UnknownProvider."""
    if name not in settings.PAYMENT_PROVIDERS or not settings.PAYMENT_SECRETS.get(name):
        raise UnknownProvider(f"There is no provider {name[:40]!r}.")


def provider(name: str) -> PaymentProvider:
    """Return a provider's adapter, which signs with our first secret. Only workers need its HTTP client.

    Raises UnknownProvider.
    """
    require_known(name)
    from wallet.payments.http_provider import HttpProvider

    return HttpProvider(url=settings.PAYMENT_PROVIDERS[name], secret=settings.PAYMENT_SECRETS[name][0])


def secrets_of(name: str) -> list[str]:
    """List the secrets that a provider may sign with, newest first. Raises UnknownProvider."""
    require_known(name)
    secrets: list[str] = settings.PAYMENT_SECRETS[name]
    return secrets
