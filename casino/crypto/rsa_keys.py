"""RSA private keys from the environment: PKCS #8 in DER, in base64, on one line."""

from base64 import b64decode
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key
from django.core.exceptions import ImproperlyConfigured

MIN_BITS: Final = 2048


@lru_cache(maxsize=2)
def parse_rsa_key(setting: str, text: str) -> RSAPrivateKey:
    """Parse a private key; `setting` is named in errors. Raises ImproperlyConfigured."""
    try:
        key = load_der_private_key(b64decode(text, validate=True), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, RSAPrivateKey) or key.key_size < MIN_BITS:
        raise ImproperlyConfigured(f"{setting} must be an RSA key of {MIN_BITS} bits or more: PKCS #8, DER, base64.")
    return key
