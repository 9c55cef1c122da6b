"""Signatures of our requests to operators' wallets: what a library that verifies RFC 9421 makes of them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageVerifier, InvalidSignature, MappingKeyResolver, algorithms

from casino.api.jwks import ed25519_jwk
from wallet.remote import signing

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
URL = "https://wallet.example:8443/casino/v1/transactions?from=2026-01-01T00%3A00%3A00%2B00%3A00&cursor=a%22b"
COVERED = ("@method", "@target-uri", "content-type", "content-digest")


@dataclass(frozen=True, slots=True)
class Message:
    method: str
    url: str
    headers: dict[str, str]


def parameters(method: str, url: str, body: bytes, *, now: datetime | None = None) -> dict[str, object]:
    """Verify a request that was signed for this URL and return the parameters of its signature."""
    keyid = ed25519_jwk(KEY.public_key().public_bytes_raw())["kid"]
    verifier = HTTPMessageVerifier(
        signature_algorithm=algorithms.ED25519,
        key_resolver=MappingKeyResolver(public_keys={keyid: KEY.public_key()}, private_keys={}),
    )
    message = Message(method, url, dict(signing.signed_headers("POST", URL, b"{}", key=KEY, now=now)))
    (verified,) = verifier.verify(message, require_components=COVERED, body=body)
    return dict(verified.parameters)


def test_a_request_is_signed_with_all_that_it_says() -> None:
    signed = parameters("POST", URL, b"{}")
    assert (signed["tag"], signed["alg"]) == (signing.TAG, "ed25519")
    assert parameters("POST", URL, b"{}")["nonce"] != signed["nonce"]


@pytest.mark.parametrize(
    ("method", "url", "body"), [("PUT", URL, b"{}"), ("POST", URL + "0", b"{}"), ("POST", URL, b"[]")]
)
def test_a_request_that_was_changed_has_no_valid_signature(method: str, url: str, body: bytes) -> None:
    with pytest.raises(InvalidSignature):
        parameters(method, url, body)


def test_a_signature_is_valid_for_a_minute_from_its_time() -> None:
    now = datetime.now(UTC) - timedelta(seconds=30)
    signed = parameters("POST", URL, b"{}", now=now)
    assert (signed["created"], signed["expires"]) == (int(now.timestamp()), int(now.timestamp()) + 60)
