"""The public keys of what the house signs, as a JWK set (RFC 7517) that needs no credential.

Apps register theirs in AppConfig.ready(). The keys come from the configuration and never from the database, so that
whoever can write there adds none.
"""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """An Ed25519 public key, what it signs, and the name by which signed documents refer to it, if they do."""

    public: bytes
    purpose: str
    name: str = ""


_sources: Final[list[Callable[[], Iterable[PublishedKey]]]] = []


def register_keys(source: Callable[[], Iterable[PublishedKey]]) -> None:
    """Publish an app's keys; call it in AppConfig.ready()."""
    _sources.append(source)


def thumbprint(jwk: Mapping[str, str]) -> str:
    """Return the thumbprint (RFC 7638) of a key's required public members."""
    return _base64(sha256(json.dumps(jwk, sort_keys=True, separators=(",", ":")).encode()).digest())


def ed25519_jwk(public: bytes) -> dict[str, str]:
    """Return an Ed25519 public key as a JWK, named by its thumbprint."""
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": _base64(public)}
    return {**jwk, "kid": thumbprint(jwk), "use": "sig", "alg": "EdDSA"}


def response(keys: Iterable[Mapping[str, str]]) -> HttpResponse:
    """Return a JWK set, which clients may cache for five minutes."""
    content: dict[str, Any] = {"keys": list(keys)}
    headers = {"Cache-Control": "public, max-age=300"}
    return HttpResponse(json.dumps(content), content_type="application/jwk-set+json", headers=headers)


@require_safe
def house_keys(request: HttpRequest) -> HttpResponse:
    """Return the keys of the installation; each says what it signs (`purpose`) and how documents call it (`name`)."""
    del request
    keys = (key for source in _sources for key in source())
    return response({**ed25519_jwk(key.public), "purpose": key.purpose, "name": key.name} for key in keys)


def _base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
