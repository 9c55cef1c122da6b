"""The key by which the house signs receipts. It is derived from SECRET_KEY for this purpose only."""

from typing import Final

from django.conf import settings

from casino.api.jwks import PublishedKey
from casino.crypto import ed25519
from casino.crypto.derived_keys import derive_keys

_PURPOSE: Final = b"casino.baccarat.receipt-keys.v1"


def sign(message: bytes) -> dict[str, str]:
    """Return the last members of a receipt, in hex: `public_key` and `signature`."""
    key = derive_keys(_PURPOSE)[0]
    return {"public_key": ed25519.public_key(key).hex(), "signature": ed25519.sign(key, message).hex()}


def published_keys() -> list[PublishedKey]:
    """Return the public keys: the one in use, those of SECRET_KEY_FALLBACKS, and RECEIPT_PUBLIC_KEYS.

    Receipts name a key by its digits.
    """
    keys = [ed25519.public_key(seed).hex() for seed in derive_keys(_PURPOSE)]
    known = dict.fromkeys([*keys, *settings.RECEIPT_PUBLIC_KEYS])
    return [PublishedKey(bytes.fromhex(key), "receipt", key) for key in known]
