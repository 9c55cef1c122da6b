"""A player with money in a wallet server, and the kit's way to it."""

import json
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.api.jwks import ed25519_jwk
from casino.operators.signing_keys import parse_public
from tests.wallet.remote.operators import KEY
from wallet.conformance.probe import Probe

PLAYER = UUID("0192a1b2-0000-7000-8000-00000000000a")
FUNDS = "500.00"


def public_key() -> str:
    """Return the key that signs the answers of wallets in tests, as a JWK."""
    return json.dumps(ed25519_jwk(Ed25519PrivateKey.from_private_bytes(KEY).public_key().public_bytes_raw()))


def probe(url: str) -> Probe:
    """Return the kit's way to a wallet server."""
    return Probe(url, parse_public(public_key()), PLAYER, "EUR")


def funded() -> dict[str, str]:
    """Return the player as wallet servers are told of one."""
    return {"player": str(PLAYER), "reference": "ann", "currency": "EUR", "balance": FUNDS}


def failures(output: str) -> list[str]:
    """Return the names of the failed cases that the command printed."""
    lines = [line.split(maxsplit=2) for line in output.splitlines() if line.startswith("FAILED")]
    return [name.replace(" ", "_") for _, _, name in lines]


def write_key(folder: Path) -> str:
    """Write the key to a file, and return its path."""
    file = folder / "key.json"
    file.write_text(public_key())
    return str(file)
