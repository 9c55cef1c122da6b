"""Envelope encryption of secrets at rest: AES-256-GCM under keys from the environment."""

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


class DecryptionFailed(Exception):
    """The key is not on the keyring, or the bytes were not encrypted under it."""


@dataclass(frozen=True, slots=True)
class WrappedSecret:
    """The stored form of a secret: the id of its key on the keyring, and the nonce with the ciphertext."""

    key_id: str
    data: bytes


@lru_cache(maxsize=4)
def parse_keyring(configured: str) -> Mapping[str, AESGCM]:
    """Parse `key-id:64 hex digits, ...`; the first key encrypts. Raises ImproperlyConfigured."""
    keys: dict[str, AESGCM] = {}
    for part in configured.split(","):
        key_id, _, digits = part.strip().partition(":")
        try:
            key = bytes.fromhex(digits)
        except ValueError:
            key = b""
        if not key_id or len(key) != KEY_BYTES:
            raise ImproperlyConfigured("PERSONAL_KEYS must be key-id:64 hex digits, comma separated.")
        keys[key_id] = AESGCM(key)
    return keys


def encrypt_secret(secret: bytes, *, associated_data: bytes) -> WrappedSecret:
    """Encrypt a secret under the first key of settings.PERSONAL_KEYS, bound to what it belongs to."""
    key_id, key = next(iter(parse_keyring(settings.PERSONAL_KEYS).items()))
    return WrappedSecret(key_id, encrypt(key, secret, associated_data=associated_data))


def decrypt_secret(encrypted: WrappedSecret, *, associated_data: bytes) -> bytes:
    """Undo `encrypt_secret`. Raises DecryptionFailed."""
    key = parse_keyring(settings.PERSONAL_KEYS).get(encrypted.key_id)
    if key is None:
        raise DecryptionFailed(f"The key {encrypted.key_id!r} is not on the keyring.")
    return decrypt(key, encrypted.data, associated_data=associated_data)


def encrypt(key: AESGCM, secret: bytes, *, associated_data: bytes) -> bytes:
    """Return a new nonce, then the ciphertext with its tag."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + key.encrypt(nonce, secret, associated_data)


def decrypt(key: AESGCM, data: bytes, *, associated_data: bytes) -> bytes:
    """Undo `encrypt`. Raises DecryptionFailed."""
    try:
        return key.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], associated_data)
    except (InvalidTag, ValueError):
        raise DecryptionFailed("The bytes were not encrypted under this key.") from None
