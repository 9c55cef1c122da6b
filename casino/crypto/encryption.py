"""Secrets at rest: AES-256-GCM under keys from outside the database, each bound to what it belongs to."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

NONCE: Final = 12
KEY: Final = 32
"""Bytes."""


class Unreadable(Exception):
    """What was sealed can't be opened: its key is not on the ring, or the bytes are not what was sealed."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """What is stored of a secret: which key of the ring it was sealed under, and the nonce with the ciphertext."""

    key_id: str
    data: bytes


@lru_cache(maxsize=4)
def ring(configured: str) -> Mapping[str, AESGCM]:
    """Parse `key-id:64 hex digits, ...`; the first key seals. Raises ImproperlyConfigured."""
    found: dict[str, AESGCM] = {}
    for part in configured.split(","):
        key_id, _, digits = part.strip().partition(":")
        try:
            key = bytes.fromhex(digits)
        except ValueError:
            key = b""
        if not key_id or len(key) != KEY:
            raise ImproperlyConfigured("PERSONAL_KEYS must be key-id:64 hex digits, comma separated.")
        found[key_id] = AESGCM(key)
    return found


def seal(secret: bytes, *, belongs_to: bytes) -> Sealed:
    """Seal a secret under the first key of settings.PERSONAL_KEYS, bound to what it belongs to."""
    key_id, key = next(iter(ring(settings.PERSONAL_KEYS).items()))
    return Sealed(key_id, encrypt(key, secret, belongs_to=belongs_to))


def unseal(sealed: Sealed, *, belongs_to: bytes) -> bytes:
    """Open what `seal` has sealed. Raises Unreadable."""
    key = ring(settings.PERSONAL_KEYS).get(sealed.key_id)
    if key is None:
        raise Unreadable(f"The key {sealed.key_id!r} is not on the ring.")
    return decrypt(key, sealed.data, belongs_to=belongs_to)


def encrypt(key: AESGCM, secret: bytes, *, belongs_to: bytes) -> bytes:
    """Encrypt under a key at hand: nonce, then ciphertext with its tag."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + key.encrypt(nonce, secret, belongs_to)


def decrypt(key: AESGCM, data: bytes, *, belongs_to: bytes) -> bytes:
    """Open what `encrypt` has made. Raises Unreadable."""
    try:
        return key.decrypt(data[:NONCE], data[NONCE:], belongs_to)
    except (InvalidTag, ValueError):
        raise Unreadable("The bytes are not what was sealed.") from None
