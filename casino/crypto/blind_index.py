"""What an operator's reference of a player is found by: an HMAC under one key for all, which never changes.

That key is drawn when the database is made, and lies in it, sealed under PERSONAL_KEYS from outside of it.
"""

import hmac
from typing import Final

from django.db import transaction

from casino.crypto.encryption import Sealed, seal, unseal
from casino.events.sql import execute, fetch

BELONGS_TO: Final = b"casino.personal.marks.v1\x00"

_READ: Final = "SELECT key_id, wrapped FROM operators_markkey WHERE id = 1"
_LOCK: Final = "SELECT key_id, wrapped FROM operators_markkey WHERE id = 1 AND key_id <> %s FOR UPDATE"
_KEEP: Final = "INSERT INTO operators_markkey (id, key_id, wrapped) VALUES (1, %s, %s) ON CONFLICT (id) DO NOTHING"
_WRAP: Final = "UPDATE operators_markkey SET key_id = %s, wrapped = %s WHERE id = 1"


def mark(reference: str) -> bytes:
    """Return what an operator's reference of a player is found by. Raises Unreadable."""
    return computed(_unsealed(*fetch(_READ)[0]), reference)


def computed(key: bytes, reference: str) -> bytes:
    """Compute the mark of a reference under a key at hand."""
    return hmac.digest(key, b"casino.personal.reference.v1\x00" + reference.encode(), "sha256")


def keep(key: bytes) -> None:
    """Keep a key for all marks, unless there is one."""
    sealed = seal(key, belongs_to=BELONGS_TO)
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
        sealed = seal(_unsealed(before, wrapped), belongs_to=BELONGS_TO)
        execute(_WRAP, [sealed.key_id, sealed.data])
    return str(before)


def _unsealed(key_id: str, wrapped: bytes) -> bytes:
    return unseal(Sealed(key_id, bytes(wrapped)), belongs_to=BELONGS_TO)
