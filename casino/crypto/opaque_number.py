"""Numbers of the whole installation as opaque texts, so that nobody counts what others do.

AES-SIV encrypts deterministically: a number always has the same text, which callers may compare and send back.
"""

import base64
import binascii
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings

from casino.crypto.derived_keys import derive_keys

PATTERN = "^[A-Za-z0-9_-]{32}$"
_BYTES = 8


@lru_cache(maxsize=4096)
def encode(number: int, *, purpose: str) -> str:
    """Return the text of a number below 2**64; one number has another text for each purpose."""
    (cipher, *_) = _ciphers(settings.SECRET_KEY, tuple(settings.SECRET_KEY_FALLBACKS))
    text = cipher.encrypt(number.to_bytes(_BYTES, "big"), [purpose.encode()])
    return base64.urlsafe_b64encode(text).decode("ascii")


def decode(text: str, *, purpose: str) -> int:
    """Return the number of a text. Raises ValueError for a text that was not encoded here for this purpose."""
    try:
        content = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("not an opaque number") from None
    for cipher in _ciphers(settings.SECRET_KEY, tuple(settings.SECRET_KEY_FALLBACKS)):
        try:
            return int.from_bytes(cipher.decrypt(content, [purpose.encode()]), "big")
        except (InvalidTag, ValueError):
            continue
    raise ValueError("not an opaque number")


@lru_cache(maxsize=2)
def _ciphers(_key: str, _fallbacks: tuple[str, ...]) -> tuple[AESSIV, ...]:
    return tuple(AESSIV(key) for key in derive_keys(b"opaque-number"))
