"""The witnesses that a house is configured with: their addresses, their keys and their names."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from casino.crypto.ed25519 import KEY_BYTES
from casino.crypto.signed_note import MalformedNote, NoteKey, SignatureType

COSIGNS_ONLY: Final = "-"
MAX_WITNESSES: Final = 16


@dataclass(frozen=True, slots=True)
class WitnessAddress:
    """A witness: the prefix of its URLs, its cosigner's key with its name, and the public key of its releases.

    A witness that only cosigns, of another make, has an empty release key.
    """

    url: str
    cosigner: NoteKey
    release_key: bytes

    @property
    def name(self) -> str:
        return self.cosigner.name


@lru_cache(maxsize=4)
def parse_addresses(text: str) -> tuple[WitnessAddress, ...]:
    """Parse `URL COSIGNER RELEASE-KEY, ...`. Raises ImproperlyConfigured.

    COSIGNER is a verifier key of type 04, RELEASE-KEY 64 hex digits, or `-` for a witness that only cosigns.
    """
    addresses = tuple(_parse(part.split()) for part in text.split(",") if part.strip())
    names, keys = [each.name for each in addresses], [each.release_key for each in addresses if each.release_key]
    if len(addresses) > MAX_WITNESSES or len(set(names)) < len(names) or len(set(keys)) < len(keys):
        raise ImproperlyConfigured(f"WITNESSES names {MAX_WITNESSES} witnesses at most, each once.")
    return addresses


def _parse(words: list[str]) -> WitnessAddress:
    try:
        url, vkey, release_key = words
        cosigner = NoteKey.parse(vkey)
        release = b"" if release_key == COSIGNS_ONLY else bytes.fromhex(release_key)
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and parts.hostname and not parts.query and not parts.fragment
    except (MalformedNote, ValueError):
        valid = None
    if not valid or cosigner.type is not SignatureType.COSIGNATURE or len(release) not in {0, KEY_BYTES}:
        raise ImproperlyConfigured(
            "WITNESSES must be `URL COSIGNER RELEASE-KEY`, comma separated, as `manage.py witness` prints them."
        )
    return WitnessAddress(url.rstrip("/"), cosigner, release)
