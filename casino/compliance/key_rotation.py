"""Rotate PERSONAL_KEYS: encrypt under the first key what is encrypted under an older one.

That is every player's own key, the key of the blind index, and the secrets of staff authenticators, of our clients
at identity providers, and of webhooks. Data that is encrypted under a player's own key does not change.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from casino.crypto import blind_index, crypto_shredding
from casino.crypto.encryption import DecryptionFailed, parse_keyring
from casino.feed import signatures
from casino.significant import recorder
from casino.staff import authenticators, identity_providers

BATCH: Final = 500
_BEFORE_ALL_IDS: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class PersonalKeyRotation:
    """The number of re-encrypted secrets by their old key, and the names of those that no key decrypts."""

    key: str
    moved: Counter[str]
    unreadable: tuple[str, ...]


def rotate(*, actor: str, batch: int = BATCH) -> PersonalKeyRotation:
    """Encrypt everything under the first of PERSONAL_KEYS, in batches that are each recorded in their transaction.

    After an interruption, call it again to continue. Call it again, too, once every process has the new order of keys.
    """
    first = next(iter(parse_keyring(settings.PERSONAL_KEYS)))
    moved, unreadable = _rotate_shared(first, actor)
    last: UUID | None = _BEFORE_ALL_IDS
    while last is not None:
        with transaction.atomic():
            result = crypto_shredding.rewrap(first, after=last, limit=batch)
            _record(first, Counter(result.keys), actor)
        moved.update(result.keys)
        unreadable.extend(f"player {player}" for player in result.unreadable)
        last = result.last
    return PersonalKeyRotation(first, moved, tuple(unreadable))


def _rotate_shared(first: str, actor: str) -> tuple[Counter[str], list[str]]:
    """Rotate the secrets that belong to no player: the blind index's key, staff authenticators, webhooks."""
    with transaction.atomic():
        keys, users = authenticators.rewrap(first)
        moved, unreadable = Counter(keys), [f"authenticator of staff {user}" for user in users]
        provider_keys, issuers = identity_providers.rewrap(first)
        moved.update(provider_keys)
        unreadable.extend(f"client secret at {issuer}" for issuer in issuers)
        webhook_keys, endpoints = signatures.rewrap(first)
        moved.update(webhook_keys)
        unreadable.extend(f"secret of webhook {endpoint}" for endpoint in endpoints)
        try:
            before = blind_index.rewrap(first)
        except DecryptionFailed:
            unreadable.append("the key of the blind index")
        else:
            moved.update([] if before is None else [before])
        _record(first, moved, actor)
    return moved, unreadable


def _record(first: str, moved: Counter[str], actor: str) -> None:
    if not moved:
        return
    recorder.record(
        kind=recorder.SignificantEventKind.KEY_ROTATED,
        operator=None,
        subject="keys:personal",
        actor=actor,
        before={"secrets": dict(moved)},
        after={"key": first, "secrets": moved.total()},
    )
