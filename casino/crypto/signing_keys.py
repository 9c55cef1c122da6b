"""Keyrings of Ed25519 private keys from the environment: `key-id:64 hex digits, ...`."""

from typing import Final

from django.core.exceptions import ImproperlyConfigured

from casino.crypto.ed25519 import KEY_BYTES

NONE: Final = "none"
"""The setting of a process that deliberately has no key."""
_MAX_NAME_LENGTH: Final = 64


def parse_keys(setting: str, text: str) -> list[tuple[str, bytes]]:
    """Parse names and raw keys, public or private; `setting` is named in errors. Raises ImproperlyConfigured."""
    pairs: list[tuple[str, bytes]] = []
    for part in filter(None, map(str.strip, ("" if text == NONE else text).split(","))):
        name, _, digits = part.partition(":")
        try:
            raw = bytes.fromhex(digits)
        except ValueError:
            raw = b""
        if not 0 < len(name) <= _MAX_NAME_LENGTH or not name.isascii() or len(raw) != KEY_BYTES:
            raise ImproperlyConfigured(f"{setting} must be key-id:64 hex digits, comma separated.")
        if name in dict(pairs):
            raise ImproperlyConfigured(f"{setting} names {name!r} twice.")
        pairs.append((name, raw))
    return pairs
