"""Digests of personal texts, recorded in the log: SHA-256 over a salt, the text's subject, and the text. Pure.

The salt is stored with the text. When both are erased, not even a short text can be guessed from the log.
"""

import hashlib
from typing import Final
from uuid import UUID

SALT_BYTES: Final = 16
"""Bytes."""
_DOMAIN: Final = b"casino chat 1\n"


def digest(*, salt: bytes, subject: UUID, text: str) -> str:
    """Return the digest, in hex, of the text of a message, report or act. Raises ValueError for odd salt."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"A salt has {SALT_BYTES} bytes, not {len(salt)}.")
    return hashlib.sha256(_DOMAIN + salt + subject.bytes + text.encode()).hexdigest()
