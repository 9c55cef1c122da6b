"""Ed25519 (RFC 8032) over raw keys: 32-byte private seeds and public keys, 64-byte signatures."""

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64


def public_key(private: bytes) -> bytes:
    """Return the public half of a private key. Raises ValueError unless it has 32 bytes."""
    return _private_key(private).public_key().public_bytes_raw()


def sign(private: bytes, message: bytes) -> bytes:
    """Sign a message. Raises ValueError unless the key has 32 bytes."""
    return _private_key(private).sign(message)


def is_signed(message: bytes, signature: bytes, *, public: bytes) -> bool:
    """Return whether the holder of the public key signed the message. Never raises; a malformed key signed nothing."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=16)
def _private_key(private: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(private)
