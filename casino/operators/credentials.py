"""Generates, parses and hashes keys and tokens.

Secrets are 256 random bits, so one SHA-256 protects them: they cannot be guessed, so a slow hash adds nothing.
"""

import hashlib
import secrets
from typing import Final

KEY_PREFIX: Final = "op_"
LAUNCH_PREFIX: Final = "lc_"
TICKET_PREFIX: Final = "st_"
TOKEN_PREFIX: Final = "pt_"  # noqa: S105  (says what kind of credential follows)


def new_key() -> tuple[str, str]:
    """Generate a key id and its secret."""
    return KEY_PREFIX + secrets.token_hex(10), new_secret()


def new_secret() -> str:
    """Generate a secret of a key."""
    return secrets.token_urlsafe(32)


def new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_launch_code() -> str:
    return LAUNCH_PREFIX + secrets.token_urlsafe(32)


def new_ticket() -> str:
    return TICKET_PREFIX + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return the stored 32-byte hash of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def verify_secret(secret: str, secret_hash: bytes) -> bool:
    """Compare a secret with its stored hash, in constant time."""
    return secrets.compare_digest(digest(secret), secret_hash)
