"""Ed25519 (RFC 8032) over raw keys: 32-byte private seeds and public keys, 64-byte signatures."""

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_PRIME: Final = 2**255 - 19
_HEIGHT: Final = 2**255 - 1
"""The bits of a point that are y; the last one is the sign of x."""
_EIGHTH: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_ORDER_EIGHT: Final = frozenset({_EIGHTH, _PRIME - _EIGHTH})
"""The y of points of order 8; 0, 1 and -1 are those of the smaller orders."""


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


def is_signed_for_all(message: bytes, signature: bytes, *, public: bytes) -> bool:
    """Return whether every verifier finds that the holder of the public key signed the message.

    Some refuse keys, or signatures whose first half is a point, of small order; a signer could choose to divide them.
    """
    points = public, signature[:KEY_BYTES]
    return all(map(_is_of_large_order, points)) and is_signed(message, signature, public=public)


def _is_of_large_order(point: bytes) -> bool:
    height = int.from_bytes(point, "little") & _HEIGHT
    return len(point) == KEY_BYTES and 1 < height < _PRIME - 1 and height not in _ORDER_EIGHT


@lru_cache(maxsize=16)
def _private_key(private: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(private)
