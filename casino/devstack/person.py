"""A person on an operator's staff, with a key of their own to sign assertions: what an identity provider does."""

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever holds `key`, registered for the operator; `subject` is the operator's id of the person."""

    operator: str
    subject: str
    key: Ed25519PrivateKey

    @classmethod
    def of(cls, operator: str, subject: str, jwk: str) -> "Person":
        """Return a person by a private key, as `manage.py operator staff-key` prints it."""
        digits = json.loads(jwk)["d"]
        key = Ed25519PrivateKey.from_private_bytes(urlsafe_b64decode(digits + "=" * (-len(digits) % 4)))
        return cls(operator, subject, key)

    @property
    def jwk(self) -> dict[str, str]:
        """Return the public key."""
        public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return {"kty": "OKP", "crv": "Ed25519", "x": _base64(public)}

    @property
    def key_id(self) -> str:
        """Return the key's thumbprint by RFC 7638."""
        return _base64(sha256(json.dumps(self.jwk, sort_keys=True, separators=(",", ":")).encode()).digest())

    def sign(self, method: str, path: str, body: bytes, **claims: Any) -> str:
        """Return an assertion of one request, with these claims instead of the usual ones."""
        request = {"method": method, "path": path, "sha256": _base64(sha256(body).digest())}
        usual = {"sub": self.subject, "aud": self.operator, "iat": int(time.time()), "jti": uuid4().hex}
        return jwt.encode(
            {**usual, "request": request, **claims}, self.key, algorithm="EdDSA", headers={"kid": self.key_id}
        )
