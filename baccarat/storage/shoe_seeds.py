"""Shoe seeds at rest: encrypted with AES-256-GCM under a key outside the database, bound to their shoe's id."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from baccarat.domain.unit_of_work import ShoeSeed

NONCE_BYTES: Final = 12

_KEEP: Final = """
INSERT INTO baccarat_shoesecret (shoe_id, key_id, nonce, ciphertext)
SELECT * FROM unnest(%s::uuid[], %s::text[], %s::bytea[], %s::bytea[])
"""
_READ: Final = "SELECT shoe_id, key_id, nonce, ciphertext FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"
_KEEP_AND_READ: Final = f"WITH kept AS ({_KEEP}) {_READ}"
_FORGET: Final = "DELETE FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"
_KEPT: Final = "SELECT shoe_id FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"
_OLDER: Final = """
SELECT shoe_id, key_id, nonce, ciphertext FROM baccarat_shoesecret
WHERE shoe_id > %s AND key_id <> %s ORDER BY shoe_id LIMIT %s FOR UPDATE
"""
_RESEAL: Final = """
UPDATE baccarat_shoesecret SET key_id = %s, nonce = sent.nonce, ciphertext = sent.ciphertext
FROM unnest(%s::uuid[], %s::bytea[], %s::bytea[]) AS sent (shoe_id, nonce, ciphertext)
WHERE baccarat_shoesecret.shoe_id = sent.shoe_id
"""


@dataclass(frozen=True, slots=True)
class ReencryptedBatch:
    """Result of one batch: seeds per former key, shoes that no key decrypts, and where to continue (None: done)."""

    key: str
    reencrypted: dict[str, int]
    unreadable: tuple[UUID, ...]
    last: UUID | None


class SeedUnavailable(Exception):
    """A shoe's seed or its key is missing: the round cannot be dealt and is suspended."""


@lru_cache(maxsize=4)
def parse_keys(configured: str) -> dict[str, AESGCM]:
    """Parse `key-id:64 hex digits, ...`; the first key encrypts. Raises ImproperlyConfigured."""
    keys: dict[str, AESGCM] = {}
    for part in configured.split(","):
        key_id, _, digits = part.strip().partition(":")
        try:
            key = bytes.fromhex(digits)
        except ValueError:
            key = b""
        if not key_id or len(key) != 32:
            raise ImproperlyConfigured("SHOE_KEYS must be key-id:64 hex digits, comma separated.")
        keys[key_id] = AESGCM(key)
    return keys


def store(new: Sequence[ShoeSeed], *, also_read: Sequence[UUID] = ()) -> Mapping[UUID, bytes]:
    """Store seeds, encrypted, and decrypt the stored ones of `also_read`, as `decrypt` does, in one statement."""
    if not new:
        return decrypt(also_read)
    key_id, key = next(iter(parse_keys(settings.SHOE_KEYS).items()))
    nonces = [secrets.token_bytes(NONCE_BYTES) for _ in new]
    ciphertexts = [
        key.encrypt(nonce, secret.seed, secret.shoe.bytes) for secret, nonce in zip(new, nonces, strict=True)
    ]
    rows: list[Any] = [[secret.shoe for secret in new], [key_id] * len(new), nonces, ciphertexts]
    with connection.cursor() as cursor:
        if not also_read:
            cursor.execute(_KEEP, rows)
            return {}
        cursor.execute(_KEEP_AND_READ, [*rows, list(also_read)])
        return _opened(cursor.fetchall())


def decrypt(shoes: Iterable[UUID]) -> Mapping[UUID, bytes]:
    """Decrypt the seeds of these shoes, in one statement. Shoes without a readable seed are left out."""
    wanted = list(shoes)
    if not wanted:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_READ, [wanted])
        return _opened(cursor.fetchall())


def _opened(rows: Iterable[tuple[UUID, str, bytes, bytes]]) -> dict[UUID, bytes]:
    """Return the seeds that our keys decrypt, by shoe."""
    ring = parse_keys(settings.SHOE_KEYS)
    opened = {shoe: _open(ring.get(key_id), shoe, nonce, ciphertext) for shoe, key_id, nonce, ciphertext in rows}
    return {shoe: seed for shoe, seed in opened.items() if seed is not None}


def _open(key: AESGCM | None, shoe: UUID, nonce: bytes, ciphertext: bytes) -> bytes | None:
    """Return the seed, None if its key is not configured or the ciphertext does not verify."""
    if key is None:
        return None
    try:
        return key.decrypt(bytes(nonce), bytes(ciphertext), shoe.bytes)
    except InvalidTag:
        return None


def find_stored(shoes: Sequence[UUID]) -> set[UUID]:
    """Return which of these shoes have an encrypted seed, readable or not."""
    with connection.cursor() as cursor:
        cursor.execute(_KEPT, [list(shoes)])
        return {row[0] for row in cursor.fetchall()}


def reencrypt(*, after: UUID, limit: int) -> ReencryptedBatch:
    """Encrypt up to `limit` seeds of shoes after an id with the first key. Call it in a transaction."""
    ring = parse_keys(settings.SHOE_KEYS)
    key_id, key = next(iter(ring.items()))
    with connection.cursor() as cursor:
        cursor.execute(_OLDER, [after, key_id, limit])
        rows = cursor.fetchall()
        opened = [(shoe, old, _open(ring.get(old), shoe, nonce, ciphertext)) for shoe, old, nonce, ciphertext in rows]
        ready = [(shoe, old, seed) for shoe, old, seed in opened if seed is not None]
        nonces = [secrets.token_bytes(NONCE_BYTES) for _ in ready]
        encrypted_again = [
            key.encrypt(nonce, seed, shoe.bytes) for (shoe, _, seed), nonce in zip(ready, nonces, strict=True)
        ]
        cursor.execute(_RESEAL, [key_id, [shoe for shoe, _, _ in ready], nonces, encrypted_again])
    return ReencryptedBatch(
        key=key_id,
        reencrypted=dict(Counter(old for _, old, _ in ready)),
        unreadable=tuple(shoe for shoe, _, seed in opened if seed is None),
        last=rows[-1][0] if len(rows) == limit else None,
    )


def delete(shoes: Sequence[UUID]) -> None:
    """Delete revealed seeds in one statement."""
    if not shoes:
        return
    with connection.cursor() as cursor:
        cursor.execute(_FORGET, [list(shoes)])
