"""Secrets of webhooks and their signatures by Standard Webhooks: `v1` is HMAC-SHA256, `v1a` is Ed25519.

Each secret is both at once: 32 random bytes for the HMAC, which the receiver knows, and an Ed25519 key, of which it
knows the public half. Two secrets live side by side while the receiver changes from one to the other.
"""

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.crypto.encryption import DecryptionFailed, EncryptedSecret, decrypt_secret, encrypt_secret
from casino.feed.models import WebhookSecret

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
PREFIX: Final = "whsec_"
_BYTES: Final = 32
_PURPOSE: Final = b"casino.webhook.v1\x00"


@dataclass(frozen=True, slots=True)
class SigningSecret:
    """A secret, decrypted. Without a key it signs by HMAC only."""

    shared: bytes
    key: Ed25519PrivateKey | None = None

    @property
    def text(self) -> str:
        """Return the secret as the receiver needs it."""
        return "whsec_" + b64encode(self.shared).decode()


def new_secret(endpoint: UUID, *, now: datetime) -> WebhookSecret:
    """Draw a secret and return its stored form, which is not saved."""
    raw = secrets.token_bytes(2 * _BYTES)
    encrypted = encrypt_secret(raw, associated_data=_PURPOSE + endpoint.bytes)
    return WebhookSecret(
        endpoint_id=endpoint,
        key_id=encrypted.key_id,
        encrypted=encrypted.data,
        public_key=_key(raw).public_key().public_bytes_raw(),
        created_at=now,
    )


def open_secret(row: WebhookSecret) -> SigningSecret:
    """Decrypt a stored secret. Raises DecryptionFailed."""
    encrypted = EncryptedSecret(row.key_id, bytes(row.encrypted))
    return _parse(decrypt_secret(encrypted, associated_data=_PURPOSE + row.endpoint_id.bytes))


def rewrap(first: str) -> tuple[dict[str, int], list[UUID]]:
    """Encrypt all secrets under the first of PERSONAL_KEYS, whose id is `first`. Call it in a transaction.

    Returns how many had which key, and the endpoints whose secrets no key decrypts.
    """
    moved: dict[str, int] = {}
    unreadable: list[UUID] = []
    for row in WebhookSecret.objects.select_for_update().exclude(key_id=first).order_by("pk"):
        data = _PURPOSE + row.endpoint_id.bytes
        try:
            raw = decrypt_secret(EncryptedSecret(row.key_id, bytes(row.encrypted)), associated_data=data)
        except DecryptionFailed:
            unreadable.append(row.endpoint_id)
            continue
        moved[row.key_id] = moved.get(row.key_id, 0) + 1
        encrypted = encrypt_secret(raw, associated_data=data)
        row.key_id, row.encrypted = encrypted.key_id, encrypted.data
        row.save(update_fields=["key_id", "encrypted"])
    return moved, unreadable


def public_key_text(public_key: bytes) -> str:
    """Return a public key as Standard Webhooks has it."""
    return "whpk_" + b64encode(public_key).decode()


def headers(live: Iterable[SigningSecret], *, message: str, now: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of a message, signed with all live secrets, the newest first."""
    timestamp = str(int(now.timestamp()))
    signed = f"{message}.{timestamp}.".encode() + body
    signatures = []
    for secret in live:
        signatures.append("v1," + b64encode(hmac.digest(secret.shared, signed, "sha256")).decode())
        if secret.key is not None:
            signatures.append("v1a," + b64encode(secret.key.sign(signed)).decode())
    return {ID: message, TIMESTAMP: timestamp, SIGNATURE: " ".join(signatures)}


def parse_secret(text: str) -> SigningSecret:
    """Return a secret from the form in which receivers have it. Raises ValueError."""
    try:
        shared = b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:
        shared = b""
    if not text.startswith(PREFIX) or not 24 <= len(shared) <= 64:
        raise ValueError("A secret is written whsec_ and the Base64 form of 24 to 64 bytes.")
    return SigningSecret(shared)


def _parse(raw: bytes) -> SigningSecret:
    return SigningSecret(raw[:_BYTES], _key(raw))


def _key(raw: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(raw[_BYTES:])
