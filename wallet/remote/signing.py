"""Our signatures of requests to operators' wallets: RFC 9421 with Ed25519, by keys derived from PERSONAL_KEYS.

All of them are published, so that a new one is known before it signs: add it last, and put it first a day later. For
Hub88 the bytes of the body alone are signed, by WALLET_RSA_KEY.
"""

import hmac
import secrets
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from django.conf import settings

from casino.api.jwks import PublishedKey, ed25519_jwk
from casino.crypto.rsa_keys import parse_rsa_key
from casino.crypto.signing_keys import parse_keys

PURPOSE: Final = "wallet"
TAG: Final = "casino-wallet"
LIFETIME: Final = 60
"""Seconds."""
_DERIVATION: Final = b"casino.wallet.v1 request key"


class NoKey(Exception):
    """There is nothing to sign with."""


def published_keys() -> list[PublishedKey]:
    """Return the public keys, the one in use first."""
    return [PublishedKey(key.public_key().public_bytes_raw(), PURPOSE) for key in _keys(settings.PERSONAL_KEYS)]


def signed_headers(
    method: str, url: str, body: bytes, *, key: Ed25519PrivateKey | None = None, now: datetime | None = None
) -> Mapping[str, str]:
    """Return the headers of a request, with its digest and its signature, by the key in use and of now."""
    key = key or _keys(settings.PERSONAL_KEYS)[0]
    keyid = ed25519_jwk(key.public_key().public_bytes_raw())["kid"]
    created = int((now or datetime.now(UTC)).timestamp())
    # Written out, because all of it is known: a library that signs any message takes longer than the rest of a call.
    digest = f"sha-256=:{_base64(sha256(body).digest())}:"
    parameters = (
        f'("@method" "@target-uri" "content-type" "content-digest");created={created};keyid="{keyid}";alg="ed25519"'
        f';expires={created + LIFETIME};nonce="{secrets.token_urlsafe(24)}";tag="{TAG}"'
    )
    base = (
        f'"@method": {method}\n"@target-uri": {url}\n"content-type": application/json\n"content-digest": {digest}\n'
        f'"@signature-params": {parameters}'
    )
    return {
        "Content-Type": "application/json",
        "Accept-Encoding": "identity",
        "Content-Digest": digest,
        "Signature-Input": f"casino={parameters}",
        "Signature": f"casino=:{_base64(key.sign(base.encode()))}:",
    }


def hub88_headers(body: bytes) -> Mapping[str, str]:
    """Return the signature of a body as Hub88 has it: RSA with SHA-256, in base64. Raises NoKey."""
    if not settings.WALLET_RSA_KEY:
        raise NoKey("WALLET_RSA_KEY is not set.")
    signature = parse_rsa_key("WALLET_RSA_KEY", settings.WALLET_RSA_KEY).sign(body, PKCS1v15(), SHA256())
    return {"X-Hub88-Signature": _base64(signature)}


@lru_cache(maxsize=2)
def _keys(configured: str) -> tuple[Ed25519PrivateKey, ...]:
    seeds = (hmac.digest(raw, _DERIVATION, "sha256") for _, raw in parse_keys("PERSONAL_KEYS", configured))
    return tuple(Ed25519PrivateKey.from_private_bytes(seed) for seed in seeds)


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode()
