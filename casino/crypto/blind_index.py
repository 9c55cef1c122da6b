"""Look up an encrypted reference or nickname by its HMAC, under one key for all players that never changes.

The key is drawn when the database is migrated and stored there, encrypted under PERSONAL_KEYS.
"""

import hmac
import secrets
from typing import Final, NamedTuple

from django.conf import settings
from django.db import transaction

from casino.crypto.encryption import KEY_BYTES, DecryptionFailed, EncryptedSecret, decrypt_secret, encrypt_secret
from casino.crypto.models import BlindIndexKey
from casino.kernel.text import fold

ASSOCIATED_DATA: Final = b"casino.personal.marks.v1\x00"
KEY_ROW: Final = 1


class PlayerIndexes(NamedTuple):
    """By which a player is found: an operator's own reference, exactly, and the nickname in whatever spelling."""

    reference: bytes
    nickname: bytes


def blind_indexes(*, reference: str, nickname: str) -> PlayerIndexes:
    """Return the indexes of a reference and a nickname. Raises DecryptionFailed."""
    key = _decrypt(BlindIndexKey.objects.get(id=KEY_ROW))
    return PlayerIndexes(
        _digest(key, b"casino.personal.reference.v1\x00", reference),
        _digest(key, b"casino.personal.nickname.v1\x00", fold(nickname)),
    )


def blind_index(reference: str) -> bytes:
    """Return the index of an operator's reference of a player. Raises DecryptionFailed."""
    return blind_indexes(reference=reference, nickname="").reference


def _digest(key: bytes, tag: bytes, text: str) -> bytes:
    return hmac.digest(key, tag + text.encode(), "sha256")


def new_key() -> EncryptedSecret:
    return encrypt_secret(secrets.token_bytes(KEY_BYTES), associated_data=ASSOCIATED_DATA)


def check_keys() -> str:
    """Return `ok` if this process's PERSONAL_KEYS, unless it has none, decrypt what the others encrypted."""
    row = BlindIndexKey.objects.filter(id=KEY_ROW).first()
    if not settings.PERSONAL_KEYS or row is None:
        return "ok"
    try:
        _decrypt(row)
    except DecryptionFailed:
        return f"PERSONAL_KEYS are not those of the other processes: no {row.key_id!r} that decrypts stored data"
    return "ok"


def rewrap(first: str) -> str | None:
    """Encrypt the key under the first of PERSONAL_KEYS, whose id is `first`.

    Return the id of the key it was encrypted under before, None if that was `first` already. Raises DecryptionFailed.
    """
    with transaction.atomic():
        row = BlindIndexKey.objects.select_for_update().filter(id=KEY_ROW).exclude(key_id=first).first()
        if row is None:
            return None
        before = row.key_id
        encrypted = encrypt_secret(_decrypt(row), associated_data=ASSOCIATED_DATA)
        row.key_id, row.wrapped = encrypted.key_id, encrypted.data
        row.save()
    return before


def _decrypt(row: BlindIndexKey) -> bytes:
    return decrypt_secret(EncryptedSecret(row.key_id, bytes(row.wrapped)), associated_data=ASSOCIATED_DATA)
