"""Secrets of webhooks and their signatures by Standard Webhooks: `v1`, HMAC-SHA256.

Two secrets live side by side while the receiver changes from one to the other.
"""

import hmac
import secrets
from base64 import b64encode
from collections.abc import Iterable
from datetime import datetime
from typing import Final

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_secret() -> bytes:
    """Draw a secret."""
    return secrets.token_bytes(_BYTES)


def text_of(secret: bytes) -> str:
    """Return a secret as the receiver needs it."""
    return PREFIX + b64encode(secret).decode()


def headers(live: Iterable[bytes], *, message: str, now: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of a message, signed with all live secrets, the newest first."""
    timestamp = str(int(now.timestamp()))
    signed = f"{message}.{timestamp}.".encode() + body
    signatures = ["v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in live]
    return {ID: message, TIMESTAMP: timestamp, SIGNATURE: " ".join(signatures)}
