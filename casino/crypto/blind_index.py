"""Look up an encrypted reference or nickname by its HMAC, under one key for all players that never changes.

The key is drawn when the database is migrated and stored there, encrypted under PERSONAL_KEYS.
"""

import hmac
import secrets
from typing import Final, NamedTuple

from django.conf import settings

from casino.crypto.encryption import KEY_BYTES, DecryptionFailed
from casino.crypto.models import BlindIndexKey
from casino.kernel.text import fold

KEY_ROW: Final = 1


class PlayerIndexes(NamedTuple):
    """By which a player is found: an operator's own reference, exactly, and the nickname in whatever spelling."""

    reference: bytes
    nickname: bytes


def blind_indexes(*, reference: str, nickname: str) -> PlayerIndexes:
    """Return the indexes of a reference and a nickname. Raises DecryptionFailed."""
    key = BlindIndexKey.objects.get(id=KEY_ROW).opened()
    return PlayerIndexes(
        _digest(key, b"casino.personal.reference.v1\x00", reference),
        _digest(key, b"casino.personal.nickname.v1\x00", fold(nickname)),
    )


def blind_index(reference: str) -> bytes:
    """Return the index of an operator's reference of a player. Raises DecryptionFailed."""
    return blind_indexes(reference=reference, nickname="").reference


def _digest(key: bytes, tag: bytes, text: str) -> bytes:
    return hmac.digest(key, tag + text.encode(), "sha256")


def new_key() -> BlindIndexKey:
    """Draw the key; its row is not saved."""
    return BlindIndexKey(id=KEY_ROW).sealed(secrets.token_bytes(KEY_BYTES))


def check_keys() -> str:
    """Return `ok` if this process's PERSONAL_KEYS, unless it has none, decrypt what the others encrypted."""
    row = BlindIndexKey.objects.filter(id=KEY_ROW).first()
    if not settings.PERSONAL_KEYS or row is None:
        return "ok"
    try:
        row.opened()
    except DecryptionFailed:
        return f"PERSONAL_KEYS are not those of the other processes: no {row.key_id!r} that decrypts stored data"
    return "ok"
