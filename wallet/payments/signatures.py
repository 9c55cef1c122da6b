"""Signatures of messages to and from providers: HMAC-SHA256 (RFC 2104) over timestamp, nonce and raw body."""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

TIMESTAMP: Final = "X-Payment-Timestamp"
NONCE: Final = "X-Payment-Nonce"
SIGNATURE: Final = "X-Payment-Signature"
TOLERANCE_SECONDS: Final = 300
"""Largest accepted difference between a message's timestamp and our clock."""


def sign(*, secret: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Return the signature as `v1=` and 64 hex digits; timestamp and nonce hold no dot."""
    signed = timestamp.encode() + b"." + nonce.encode() + b"." + body
    return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def verify(*, keys: Iterable[str], timestamp: str, nonce: str, body: bytes, signature: str) -> bool:
    """Return whether one of the secrets made this signature; each is compared in constant time."""
    received = signature.encode()
    valid = False
    for secret in keys:
        valid |= hmac.compare_digest(
            sign(secret=secret, timestamp=timestamp, nonce=nonce, body=body).encode(), received
        )
    return valid


def headers(*, secret: str, timestamp: str, nonce: str, body: bytes) -> dict[str, str]:
    """Return the three headers of a signed message."""
    signature = sign(secret=secret, timestamp=timestamp, nonce=nonce, body=body)
    return {TIMESTAMP: timestamp, NONCE: nonce, SIGNATURE: signature}
