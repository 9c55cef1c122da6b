"""What an operator's reference of a player is found by: an HMAC under one key for all, which never changes.

That key is drawn when the database is made, and lies in it, sealed under PERSONAL_KEYS from outside of it.
"""

import hmac
from typing import Final

from django.db import transaction

from casino.crypto.encryption import EncryptedSecret, decrypt_secret, encrypt_secret
from casino.events.sql import execute, fetch

ASSOCIATED_DATA: Final = b"casino.personal.marks.v1\x00"

_READ: Final = "SELECT key_id, wrapped FROM operators_blindindexkey WHERE id = 1"
_LOCK: Final = "SELECT key_id, wrapped FROM operators_blindindexkey WHERE id = 1 AND key_id <> %s FOR UPDATE"
_KEEP: Final = (
    "INSERT INTO operators_blindindexkey (id, key_id, wrapped) VALUES (1, %s, %s) ON CONFLICT (id) DO NOTHING"
)
_WRAP: Final = "UPDATE operators_blindindexkey SET key_id = %s, wrapped = %s WHERE id = 1"


def blind_index(reference: str) -> bytes:
    """Return what an operator's reference of a player is found by. Raises Unreadable."""
    return compute_blind_index(_unsealed(*fetch(_READ)[0]), reference)


def compute_blind_index(key: bytes, reference: str) -> bytes:
    """Compute the mark of a reference under a key at hand."""
    return hmac.digest(key, b"casino.personal.reference.v1\x00" + reference.encode(), "sha256")


def store_key(key: bytes) -> None:
    """Keep a key for all marks, unless there is one."""
    sealed = encrypt_secret(key, associated_data=ASSOCIATED_DATA)
    execute(_KEEP, [sealed.key_id, sealed.data])


def rewrap(first: str) -> str | None:
    """Seal the key of the marks under the first of PERSONAL_KEYS, whose id is `first`.

    Returns the id of the one it was sealed under, None where there was nothing to do. Raises Unreadable.
    """
    with transaction.atomic():
        rows = fetch(_LOCK, [first])
        if not rows:
            return None
        before, wrapped = rows[0]
        sealed = encrypt_secret(_unsealed(before, wrapped), associated_data=ASSOCIATED_DATA)
        execute(_WRAP, [sealed.key_id, sealed.data])
    return str(before)


def _unsealed(key_id: str, wrapped: bytes) -> bytes:
    return decrypt_secret(EncryptedSecret(key_id, bytes(wrapped)), associated_data=ASSOCIATED_DATA)
