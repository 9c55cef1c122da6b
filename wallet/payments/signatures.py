"""Signatures of messages to and from providers: HMAC-SHA256 (RFC 2104) over timestamp, nonce, subject and raw body.

The subject says what the message is for: `POST /v1/deposits` in a request, as its method and target; `201` in the
response to it, as its status. A response repeats the request's nonce, so it answers that request and no other.
"""

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

TIMESTAMP: Final = "X-Payment-Timestamp"
NONCE: Final = "X-Payment-Nonce"
SIGNATURE: Final = "X-Payment-Signature"
TOLERANCE_SECONDS: Final = 300
"""Largest accepted difference between a message's timestamp and our clock."""


def sign(*, secret: str, timestamp: str, nonce: str, subject: str, body: bytes) -> str:
    """Return the signature as `v1=` and 64 hex digits; timestamp, nonce and subject hold no line break."""
    signed = f"{timestamp}\n{nonce}\n{subject}\n".encode() + body
    return "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def verify(*, keys: Iterable[str], timestamp: str, nonce: str, subject: str, body: bytes, signature: str) -> bool:
    """Return whether one of the secrets made this signature; each is compared in constant time."""
    received = signature.encode()
    valid = False
    for secret in keys:
        expected = sign(secret=secret, timestamp=timestamp, nonce=nonce, subject=subject, body=body)
        valid |= hmac.compare_digest(expected.encode(), received)
    return valid


def headers(*, secret: str, timestamp: str, nonce: str, subject: str, body: bytes) -> dict[str, str]:
    """Return the three headers of a signed message."""
    signature = sign(secret=secret, timestamp=timestamp, nonce=nonce, subject=subject, body=body)
    return {TIMESTAMP: timestamp, NONCE: nonce, SIGNATURE: signature}
