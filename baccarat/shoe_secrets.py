"""Shoe seeds at rest: sealed with AES-256-GCM under a key from outside the database, bound to their shoe's id."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from baccarat.journal import Secret

NONCE_BYTES: Final = 12

_KEEP: Final = """
INSERT INTO baccarat_shoesecret (shoe_id, key_id, nonce, sealed)
SELECT * FROM unnest(%s::uuid[], %s::text[], %s::bytea[], %s::bytea[])
"""
_READ: Final = "SELECT shoe_id, key_id, nonce, sealed FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"
_FORGET: Final = "DELETE FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"


class SecretLost(Exception):
    """A shoe's seed is missing or its key is: the round can't be dealt and is set aside."""


@lru_cache(maxsize=4)
def keys(configured: str) -> dict[str, AESGCM]:
    """This will parse `key-id:64 hex digits, ...`; the first key seals. Raises ImproperlyConfigured."""
    found: dict[str, AESGCM] = {}
    for part in configured.split(","):
        key_id, _, digits = part.strip().partition(":")
        try:
            key = bytes.fromhex(digits)
        except ValueError:
            key = b""
        if not key_id or len(key) != 32:
            raise ImproperlyConfigured("SHOE_KEYS must be key-id:64 hex digits, comma separated.")
        found[key_id] = AESGCM(key)
    return found


def keep(new: Sequence[Secret]) -> None:
    """This will store seeds, sealed, in one statement."""
    if not new:
        return
    key_id, key = next(iter(keys(settings.SHOE_KEYS).items()))
    nonces = [secrets.token_bytes(NONCE_BYTES) for _ in new]
    sealed = [key.encrypt(nonce, secret.seed, secret.shoe.bytes) for secret, nonce in zip(new, nonces, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [[secret.shoe for secret in new], [key_id] * len(new), nonces, sealed])


def read(shoes: Iterable[UUID]) -> Mapping[UUID, bytes]:
    """This will open the seeds of these shoes, in one statement; a shoe without a readable seed is left out."""
    wanted = list(shoes)
    if not wanted:
        return {}
    ring = keys(settings.SHOE_KEYS)
    with connection.cursor() as cursor:
        cursor.execute(_READ, [wanted])
        rows = cursor.fetchall()
    opened = {shoe: _open(ring.get(key_id), shoe, nonce, sealed) for shoe, key_id, nonce, sealed in rows}
    return {shoe: seed for shoe, seed in opened.items() if seed is not None}


def _open(key: AESGCM | None, shoe: UUID, nonce: bytes, sealed: bytes) -> bytes | None:
    """The seed; None when its key is not on our ring or the bytes are not what was sealed."""
    if key is None:
        return None
    try:
        return key.decrypt(bytes(nonce), bytes(sealed), shoe.bytes)
    except InvalidTag:
        return None


def forget(shoes: Sequence[UUID]) -> None:
    """This will delete the seeds that are now revealed, in one statement."""
    if not shoes:
        return
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, [list(shoes)])
