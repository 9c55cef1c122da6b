"""Ed25519 (RFC 8032) over raw keys: 32-byte private seeds and public keys, 64-byte signatures."""

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_PRIME: Final = 2**255 - 19
_HEIGHT: Final = 2**255 - 1
"""The bits of a public key that are y; the last one is the sign of x."""


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


def is_canonical(public: bytes) -> bool:
    """Return whether a public key is one that all verifiers read alike: in range, and not of x = 0."""
    height = int.from_bytes(public, "little") & _HEIGHT
    return len(public) == KEY_BYTES and 1 < height < _PRIME - 1


@lru_cache(maxsize=16)
def _private_key(private: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(private)
