"""The keyring of checkpoints, from the environment: private keys that may sign, and public keys that are trusted.

Trusted keys are not read from the database, because an attacker who rewrites the log could add a key there.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from casino.api.jwks import PublishedKey
from casino.crypto.ed25519 import KEY_BYTES
from casino.crypto.signing_keys import parse_keys


@dataclass(frozen=True, slots=True)
class CheckpointKeyring:
    """The first private key signs; `public` has the 32-byte public half of every trusted key by its id."""

    active: str
    private: dict[str, Ed25519PrivateKey]
    public: dict[str, bytes]

    def sign(self, message: bytes) -> bytes:
        """Sign with the active key. Raises KeyError on a keyring that only verifies."""
        return self.private[self.active].sign(message)

    def has_signed(self, key: str, signature: bytes, message: bytes) -> bool:
        """Return whether a key, by its id, is trusted and has signed a message."""
        public = self.public.get(key)
        if public is None:
            return False
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        except InvalidSignature:
            return False
        return True


def checkpoint_keyring() -> CheckpointKeyring:
    """Return the keyring of the settings. Raises ImproperlyConfigured."""
    return parse(settings.CHECKPOINT_KEYS, settings.CHECKPOINT_PUBLIC_KEYS)


def published_keys() -> list[PublishedKey]:
    """Return all trusted keys as they are published: the one that signs, earlier ones, and those that will sign."""
    return [PublishedKey(public, "checkpoint", name) for name, public in checkpoint_keyring().public.items()]


@lru_cache(maxsize=4)
def parse(private: str, public: str) -> CheckpointKeyring:
    """Parse `key-id:64 hex digits, ...` of private keys (their 32-byte seeds) and of public ones.

    Raises ImproperlyConfigured, also when one id names two keys.
    """
    signing = {name: Ed25519PrivateKey.from_private_bytes(raw) for name, raw in parse_keys("CHECKPOINT_KEYS", private)}
    trusted = {name: key.public_key().public_bytes_raw() for name, key in signing.items()}
    for name, raw in parse_keys("CHECKPOINT_PUBLIC_KEYS", public):
        if trusted.setdefault(name, raw) != raw:
            raise ImproperlyConfigured(f"The checkpoint key {name!r} has two public halves.")
    return CheckpointKeyring(active=next(iter(signing), ""), private=signing, public=trusted)


def generate_key(name: str) -> str:
    """Generate a private key in the format of CHECKPOINT_KEYS."""
    return f"{name}:{secrets.token_hex(KEY_BYTES)}"
