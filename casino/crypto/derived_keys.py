"""Keys for single purposes, derived from SECRET_KEY, so that no two purposes share a key."""

import hmac

from django.conf import settings
from django.utils.encoding import force_bytes


def derive_keys(purpose: bytes) -> list[bytes]:
    """Derive 32 bytes from SECRET_KEY, and then from each of SECRET_KEY_FALLBACKS: HMAC-SHA-256 of the purpose.

    New data takes the first one; data of before a rotation takes one of the others.
    """
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [hmac.digest(force_bytes(secret), purpose, "sha256") for secret in secrets]
