"""The keys of this process: the private halves that may sign, and the public ones that are trusted. All from outside.

Which public keys to trust can't be read from the database: who rewrites a log writes a key of his own beside it.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from casino.checkpoints.document import CheckpointDocument, signed_bytes

NONE: Final = "none"
"""Said of a process that has no private key on purpose."""
_BYTES: Final = 32
_LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class CheckpointKeyring:
    """The first private key signs; `public` has every trusted key's public half, in 32 bytes, by its id."""

    active: str
    private: dict[str, Ed25519PrivateKey]
    public: dict[str, bytes]

    def sign(self, message: bytes) -> bytes:
        """Sign with the active key. Raises KeyError on a ring that only verifies."""
        return self.private[self.active].sign(message)

    def verifies(self, checkpoint: CheckpointDocument) -> bool:
        """Tell whether a trusted key of the name that the checkpoint gives has signed it."""
        public = self.public.get(checkpoint.key)
        if public is None:
            return False
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(checkpoint.signature, signed_bytes(checkpoint))
        except InvalidSignature:
            return False
        return True


def checkpoint_keyring() -> CheckpointKeyring:
    """Return the ring that the settings describe. Raises ImproperlyConfigured."""
    return parse(settings.CHECKPOINT_KEYS, settings.CHECKPOINT_PUBLIC_KEYS)


@lru_cache(maxsize=4)
def parse(private: str, public: str) -> CheckpointKeyring:
    """Read `key-id:64 hex digits, ...` of private keys (their 32-byte seeds) and of public ones.

    Raises ImproperlyConfigured, also for an id that stands for two keys.
    """
    own = {name: Ed25519PrivateKey.from_private_bytes(raw) for name, raw in _pairs("CHECKPOINT_KEYS", private)}
    trusted = {name: key.public_key().public_bytes_raw() for name, key in own.items()}
    for name, raw in _pairs("CHECKPOINT_PUBLIC_KEYS", public):
        if trusted.setdefault(name, raw) != raw:
            raise ImproperlyConfigured(f"The checkpoint key {name!r} has two public halves.")
    return CheckpointKeyring(active=next(iter(own), ""), private=own, public=trusted)


def generate_key(name: str) -> str:
    """Draw a private key from the operating system and return it as CHECKPOINT_KEYS spells one."""
    return f"{name}:{secrets.token_hex(_BYTES)}"


def _pairs(setting: str, text: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    given = "" if text == NONE else text
    for part in filter(None, map(str.strip, given.split(","))):
        name, _, digits = part.partition(":")
        try:
            raw = bytes.fromhex(digits)
        except ValueError:
            raw = b""
        if not 0 < len(name) <= _LONGEST_NAME or not name.isascii() or len(raw) != _BYTES:
            raise ImproperlyConfigured(f"{setting} must be key-id:64 hex digits, comma separated.")
        if name in dict(found):
            raise ImproperlyConfigured(f"{setting} names {name!r} twice.")
        found.append((name, raw))
    return found
