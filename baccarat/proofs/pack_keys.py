"""The key that signs dispute packs: Ed25519, derived from SECRET_KEY for this purpose only.

Checkpoints are signed with another key, which web processes do not have.
"""

import hmac
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.utils.encoding import force_bytes

SIGNATURE_TAG: Final = b"casino.pack.v1\n"
"""Prefix of the manifest's bytes when they are signed."""
_PURPOSE: Final = b"casino.pack.v1 signing key"


def sign_manifest(manifest: bytes) -> bytes:
    return _key(settings.SECRET_KEY).sign(SIGNATURE_TAG + manifest)


def public_keys() -> list[str]:
    """List the public keys in hex, the one in use first, then those of SECRET_KEY_FALLBACKS."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [_key(secret).public_key().public_bytes_raw().hex() for secret in secrets]


def _key(secret: str | bytes) -> Ed25519PrivateKey:
    """Derive the private key's seed (RFC 8032): HMAC-SHA-256 (RFC 2104) of the purpose, keyed with the secret."""
    return Ed25519PrivateKey.from_private_bytes(hmac.digest(force_bytes(secret), _PURPOSE, "sha256"))
