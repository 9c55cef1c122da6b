"""RSA keys, each made once in a process: making one takes as long as twenty tests."""

import functools

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key


@functools.cache
def rsa_key(number: int = 1) -> RSAPrivateKey:
    """Return the key of this number."""
    return generate_private_key(public_exponent=65537, key_size=2048)
