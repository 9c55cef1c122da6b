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

from baccarat.domain.unit_of_work import ShoeSeed
from baccarat.storage.models import ShoeSecret
from casino.events.projections import encode
from casino.events.sql import execute, fetch

NONCE_BYTES: Final = 12

_INSERT: Final = """
INSERT INTO baccarat_shoesecret (shoe_id, key_id, nonce, ciphertext)
SELECT shoe_id, key_id, nonce, ciphertext FROM jsonb_populate_recordset(NULL::baccarat_shoesecret, %s::jsonb)
"""
_READ: Final = "SELECT shoe_id, key_id, nonce, ciphertext FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"
_ONE_OF_EACH_KEY: Final = """
SELECT DISTINCT ON (key_id) shoe_id, key_id, nonce, ciphertext FROM baccarat_shoesecret ORDER BY key_id, shoe_id
"""
_DELETE: Final = "DELETE FROM baccarat_shoesecret WHERE shoe_id = ANY (%s::uuid[])"
_INSERT_AND_DELETE: Final = f"WITH inserted AS ({_INSERT}) {_DELETE}"
_OLDER_KEYS: Final = """
SELECT shoe_id, key_id, nonce, ciphertext FROM baccarat_shoesecret
WHERE shoe_id > %s AND key_id <> %s ORDER BY shoe_id LIMIT %s FOR UPDATE
"""
_UPDATE: Final = """
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


def store(new: Sequence[ShoeSeed], *, revealed: Sequence[UUID] = ()) -> None:
    """Store seeds, encrypted, and delete revealed ones, in one statement."""
    if not new:
        delete(revealed)
        return
    key_id, key = next(iter(parse_keys(settings.SHOE_KEYS).items()))
    rows = encode([_encrypted_row(secret, key_id, key) for secret in new]).decode()
    execute(_INSERT_AND_DELETE, [rows, list(revealed)])


def _encrypted_row(secret: ShoeSeed, key_id: str, key: AESGCM) -> dict[str, Any]:
    nonce = secrets.token_bytes(NONCE_BYTES)
    ciphertext = key.encrypt(nonce, secret.seed, secret.shoe.bytes)
    return {
        "shoe_id": secret.shoe,
        "key_id": key_id,
        "nonce": rf"\x{nonce.hex()}",
        "ciphertext": rf"\x{ciphertext.hex()}",
    }


def check_keys() -> str:
    """Return `ok` if this process's SHOE_KEYS, unless it has none, decrypt a seed of every key in use."""
    if not settings.SHOE_KEYS:
        return "ok"
    samples = fetch(_ONE_OF_EACH_KEY)
    decrypted = _decrypt_rows(samples)
    missing = sorted(key_id for shoe, key_id, _, _ in samples if shoe not in decrypted)
    return f"SHOE_KEYS are not those of the other processes: no {', '.join(missing)}" if missing else "ok"


def decrypt(shoes: Iterable[UUID]) -> Mapping[UUID, bytes]:
    """Decrypt the seeds of these shoes, in one statement. Shoes without a readable seed are left out."""
    wanted = list(shoes)
    if not wanted:
        return {}
    return _decrypt_rows(fetch(_READ, [wanted]))


def _decrypt_rows(rows: Iterable[tuple[UUID, str, bytes, bytes]]) -> dict[UUID, bytes]:
    """Return the seeds that our keys decrypt, by shoe."""
    keys = parse_keys(settings.SHOE_KEYS)
    seeds = {shoe: _decrypt(keys.get(key_id), shoe, nonce, ciphertext) for shoe, key_id, nonce, ciphertext in rows}
    return {shoe: seed for shoe, seed in seeds.items() if seed is not None}


def _decrypt(key: AESGCM | None, shoe: UUID, nonce: bytes, ciphertext: bytes) -> bytes | None:
    """Return the seed, None if its key is not configured or the ciphertext does not verify."""
    if key is None:
        return None
    try:
        return key.decrypt(bytes(nonce), bytes(ciphertext), shoe.bytes)
    except InvalidTag:
        return None


def find_stored(shoes: Sequence[UUID]) -> set[UUID]:
    """Return which of these shoes have an encrypted seed, readable or not."""
    return set(ShoeSecret.objects.filter(pk__in=shoes).values_list("pk", flat=True))


def reencrypt(*, after: UUID, limit: int) -> ReencryptedBatch:
    """Encrypt up to `limit` seeds of shoes after an id with the first key. Call it in a transaction."""
    keys = parse_keys(settings.SHOE_KEYS)
    key_id, key = next(iter(keys.items()))
    rows = fetch(_OLDER_KEYS, [after, key_id, limit])
    decrypted = [(shoe, old, _decrypt(keys.get(old), shoe, nonce, ciphertext)) for shoe, old, nonce, ciphertext in rows]
    ready = [(shoe, old, seed) for shoe, old, seed in decrypted if seed is not None]
    nonces = [secrets.token_bytes(NONCE_BYTES) for _ in ready]
    ciphertexts = [key.encrypt(nonce, seed, shoe.bytes) for (shoe, _, seed), nonce in zip(ready, nonces, strict=True)]
    execute(_UPDATE, [key_id, [shoe for shoe, _, _ in ready], nonces, ciphertexts])
    return ReencryptedBatch(
        key=key_id,
        reencrypted=dict(Counter(old for _, old, _ in ready)),
        unreadable=tuple(shoe for shoe, _, seed in decrypted if seed is None),
        last=rows[-1][0] if len(rows) == limit else None,
    )


def delete(shoes: Sequence[UUID]) -> None:
    """Delete revealed seeds in one statement."""
    if shoes:
        execute(_DELETE, [list(shoes)])
