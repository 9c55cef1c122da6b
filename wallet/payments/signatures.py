"""How we and a provider sign what we tell one another: HMAC-SHA256 (RFC 2104) over timestamp, nonce and raw body."""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

TIMESTAMP: Final = "X-Payment-Timestamp"
NONCE: Final = "X-Payment-Nonce"
SIGNATURE: Final = "X-Payment-Signature"
TOLERANCE_SECONDS: Final = 300
"""Seconds that a message's clock may be away from ours, either way."""


def sign(*, secret: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Return the signature as `v1=` and 64 hex digits; timestamp and nonce hold no dot."""
    signed = timestamp.encode() + b"." + nonce.encode() + b"." + body
    return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def verify(*, keys: Iterable[str], timestamp: str, nonce: str, body: bytes, signature: str) -> bool:
    """Say whether one of the secrets made this signature; every one is compared, in constant time."""
    given = signature.encode()
    good = False
    for secret in keys:
        good |= hmac.compare_digest(sign(secret=secret, timestamp=timestamp, nonce=nonce, body=body).encode(), given)
    return good


def headers(*, secret: str, timestamp: str, nonce: str, body: bytes) -> dict[str, str]:
    """Return the three headers of a signed message."""
    signature = sign(secret=secret, timestamp=timestamp, nonce=nonce, body=body)
    return {TIMESTAMP: timestamp, NONCE: nonce, SIGNATURE: signature}
