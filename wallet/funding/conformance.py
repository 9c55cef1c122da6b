"""Proof that an operator's own wallet passed the conformance kit, signed by the service that ran it.

It is a JWT, so that whoever goes live can hand it in as one word. It names the report with all bytes by its digest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.api.jwks import PublishedKey, ed25519_jwk
from casino.crypto.derived_keys import derive_keys
from wallet.funding.events import WalletProfile
from wallet.funding.refusals import WalletNotConformant

PURPOSE: Final = "conformance"
MAX_AGE: Final = timedelta(days=30)
LONGEST: Final = 2000
"""Characters of a proof."""
_DERIVATION: Final = b"casino.wallet.v1 conformance key"
_ALGORITHM: Final = "EdDSA"
_AUDIENCE: Final = "casino-wallet-conformance"


@dataclass(frozen=True, slots=True)
class ConformanceProof:
    """What a signed proof says."""

    wallet_url: str
    cases: int
    failed: int
    report_sha256: str
    ended_at: datetime
    profile: WalletProfile = WalletProfile.STANDARD

    def sign(self) -> str:
        """Return the proof as a JWT, signed by the key in use."""
        key = _keys()[0]
        claims = {
            "aud": _AUDIENCE,
            "sub": self.wallet_url,
            "profile": self.profile.value,
            "cases": self.cases,
            "failed": self.failed,
            "report_sha256": self.report_sha256,
            "iat": int(self.ended_at.timestamp()),
        }
        return jwt.encode(claims, key, algorithm=_ALGORITHM, headers={"kid": _keyid(key)})


def published_keys() -> list[PublishedKey]:
    """Return the public keys, the one in use first."""
    return [PublishedKey(key.public_key().public_bytes_raw(), PURPOSE) for key in _keys()]


def require_proof(proof: str, *, wallet_url: str, profile: WalletProfile, now: datetime) -> None:
    """Check that a wallet passed all cases of its profile within the last thirty days. Raises WalletNotConformant."""
    verified = _verify(proof)
    if verified.wallet_url.rstrip("/") != wallet_url:
        raise WalletNotConformant(f"The proof is of {verified.wallet_url}.")
    if verified.profile is not profile:
        raise WalletNotConformant(f"The proof is of the profile {verified.profile}.")
    if verified.failed or not verified.cases:
        raise WalletNotConformant(f"{verified.failed} of {verified.cases} cases failed.")
    if not now - MAX_AGE <= verified.ended_at <= now + timedelta(minutes=1):
        raise WalletNotConformant(f"The proof is of {verified.ended_at:%Y-%m-%d}: {MAX_AGE.days} days are the most.")


def _verify(proof: str) -> ConformanceProof:
    if not proof:
        raise WalletNotConformant("There is no proof.")
    try:
        keyid = jwt.get_unverified_header(proof).get("kid")
        (key,) = (key.public_key() for key in _keys() if _keyid(key) == keyid)
        options: Any = {"require": ["sub", "iat", "aud"], "verify_iat": False}
        claims: Mapping[str, Any] = jwt.decode(proof, key, algorithms=[_ALGORITHM], audience=_AUDIENCE, options=options)
        ended_at = datetime.fromtimestamp(claims["iat"], UTC)
        profile = WalletProfile(claims["profile"])
        return ConformanceProof(
            claims["sub"], claims["cases"], claims["failed"], claims["report_sha256"], ended_at, profile
        )
    except (jwt.PyJWTError, ValueError, KeyError):
        raise WalletNotConformant("The proof is not signed by this service.") from None


def _keys() -> list[Ed25519PrivateKey]:
    return [Ed25519PrivateKey.from_private_bytes(seed) for seed in derive_keys(_DERIVATION)]


def _keyid(key: Ed25519PrivateKey) -> str:
    return ed25519_jwk(key.public_key().public_bytes_raw())["kid"]
