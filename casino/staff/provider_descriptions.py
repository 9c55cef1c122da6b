"""What identity providers say of themselves: read by a job and kept, so that no sign-in waits for it.

A provider that can't be read, or that can't be reached while somebody signs in, is not asked again until the job has
read it.
"""

import json
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from casino.events.sql import database_now
from casino.outbound.answers import NO_ANSWER
from casino.outbound.blocking import blocking_client
from casino.staff.identity_providers import is_safe_address
from casino.staff.models import IdentityProvider, ProviderDescription
from casino.staff.refusals import ProviderFailed

SECONDS: Final = 5.0
"""In which a provider has to answer."""
LIMIT: Final = 256 * 1024
"""Bytes of an answer."""
BATCH: Final = 20
REFRESH: Final = timedelta(minutes=10)
RETRY: Final = timedelta(seconds=30)
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


def find(provider: IdentityProvider) -> dict[str, Any]:
    """Return a provider's addresses and keys. Raises ProviderFailed for one that can't be asked now."""
    row = ProviderDescription.objects.filter(provider=provider).first()
    if row is None or row.error or not row.document:
        raise ProviderFailed("" if row is None else row.error)
    document: dict[str, Any] = json.loads(row.document)
    return document


def put_off(provider: IdentityProvider, error: Exception) -> None:
    """Remember that a provider could not be reached, until it has been read again."""
    rows = ProviderDescription.objects.filter(provider=provider, error="")
    rows.update(error=_text(error), due_at=database_now() + RETRY)


def read_due() -> int:
    """Read the providers that are due, and return how many answered. Call it outside any transaction."""
    answered = 0
    for _ in range(BATCH):
        row = _claim()
        if row is None:
            break
        try:
            row.document, row.error = json.dumps(_read(row.provider.issuer)), ""
            row.due_at = database_now() + REFRESH
            answered += 1
        except (*NO_ANSWER, JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
            row.error = _text(error)
        row.save(update_fields=["document", "error", "due_at"])
    return answered


def _claim() -> ProviderDescription | None:
    """Take the provider that has been due longest, and put off the next attempt: no other reads it meanwhile."""
    with transaction.atomic():
        now = database_now()
        due = ProviderDescription.objects.select_for_update(skip_locked=True, of=("self",)).select_related("provider")
        row = due.filter(due_at__lte=now, provider__removed_at=None).order_by("due_at").first()
        if row is not None:
            row.due_at = now + RETRY
            row.save(update_fields=["due_at"])
    return row


def _read(issuer: str) -> dict[str, Any]:
    metadata = _get(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if metadata.get("issuer") != issuer:
        raise ValueError("The provider calls itself by another issuer.")
    if not all(is_safe_address(metadata.get(name)) for name in _ENDPOINTS):
        raise ValueError("The provider has endpoints without TLS, or lacks some.")
    keys = _get(metadata["jwks_uri"])
    KeySet.import_key_set(keys)  # type: ignore[arg-type]  # which it checks
    return {"issuer": issuer, **{name: metadata[name] for name in _ENDPOINTS}, "jwks": keys}


def _get(url: str) -> dict[str, Any]:
    headers = {"Accept": "application/json"}
    answer = blocking_client().ask("GET", url, headers=headers, body=b"", seconds=SECONDS, limit=LIMIT)
    document = json.loads(answer.body) if answer.status == 200 else None
    if not isinstance(document, dict):
        raise ValueError(f"The answer of {url} has the status {answer.status}, or is no JSON object.")  # noqa: TRY004
    return document


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\0", "")[:300]
