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

NONCE_BYTES: Final = 12
KEY_BYTES: Final = 32
"""Bytes."""


class DecryptionFailed(Exception):
    """What was sealed can't be opened: its key is not on the ring, or the bytes are not what was sealed."""


@dataclass(frozen=True, slots=True)
class EncryptedSecret:
    """What is stored of a secret: which key of the ring it was sealed under, and the nonce with the ciphertext."""

    key_id: str
    data: bytes


@lru_cache(maxsize=4)
def parse_keyring(configured: str) -> Mapping[str, AESGCM]:
    """Parse `key-id:64 hex digits, ...`; the first key seals. Raises ImproperlyConfigured."""
    found: dict[str, AESGCM] = {}
    for part in configured.split(","):
        key_id, _, digits = part.strip().partition(":")
        try:
            key = bytes.fromhex(digits)
        except ValueError:
            key = b""
        if not key_id or len(key) != KEY_BYTES:
            raise ImproperlyConfigured("PERSONAL_KEYS must be key-id:64 hex digits, comma separated.")
        found[key_id] = AESGCM(key)
    return found


def encrypt_secret(secret: bytes, *, associated_data: bytes) -> EncryptedSecret:
    """Seal a secret under the first key of settings.PERSONAL_KEYS, bound to what it belongs to."""
    key_id, key = next(iter(parse_keyring(settings.PERSONAL_KEYS).items()))
    return EncryptedSecret(key_id, encrypt(key, secret, associated_data=associated_data))


def decrypt_secret(encrypted: EncryptedSecret, *, associated_data: bytes) -> bytes:
    """Open what `seal` has sealed. Raises Unreadable."""
    key = parse_keyring(settings.PERSONAL_KEYS).get(encrypted.key_id)
    if key is None:
        raise DecryptionFailed(f"The key {encrypted.key_id!r} is not on the ring.")
    return decrypt(key, encrypted.data, associated_data=associated_data)


def encrypt(key: AESGCM, secret: bytes, *, associated_data: bytes) -> bytes:
    """Encrypt under a key at hand: nonce, then ciphertext with its tag."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + key.encrypt(nonce, secret, associated_data)


def decrypt(key: AESGCM, data: bytes, *, associated_data: bytes) -> bytes:
    """Open what `encrypt` has made. Raises Unreadable."""
    try:
        return key.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], associated_data)
    except (InvalidTag, ValueError):
        raise DecryptionFailed("The bytes are not what was sealed.") from None
