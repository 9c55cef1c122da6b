"""The sandbox operator's wallet as a process of a stack, and what its operator registers at the service."""

import sys
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.api.jwks import ed25519_jwk
from casino.crypto.signing_keys import parse_keys
from casino.devstack.home import signing_keys
from casino.devstack.system import HOST, Stack, free_port, is_responding

PROCESS: Final = "operator"
CASINO_PURPOSE: Final = "wallet"
"""What the service says of the keys that sign its requests to wallets."""
CALL_SECONDS: Final = 10.0


class OwnWallet:
    """An operator's wallet that runs. Players are those of the service, by its ids."""

    def __init__(self, url: str, key: Ed25519PrivateKey) -> None:
        self.url = url
        self._jwk = ed25519_jwk(key.public_key().public_bytes_raw())

    def register(self, service: str, credential: str) -> None:
        """Make it the wallet of the operator whose API key this is. Repeats safely, also at another address."""
        with httpx.Client(
            base_url=f"{service}/api/v1/", headers={"Authorization": f"Bearer {credential}"}, timeout=CALL_SECONDS
        ) as api:
            known = api.get("operator/key").raise_for_status().json()["signing_keys"]
            if self._jwk["kid"] not in {each["keyid"] for each in known}:
                public = {name: self._jwk[name] for name in ("kty", "crv", "x")}
                _post(api, "operator/key/signing-keys", {"jwk": public})
            _post(api, "operator/funding", {"funding": "seamless", "wallet_url": self.url})

    def add_player(self, player: str, *, reference: str, currency: str, balance: str) -> None:
        """Open an account with this balance, unless the player has one."""
        if player not in self.balances():
            account = {"player": player, "reference": reference, "currency": currency, "balance": balance}
            self.control(players=[account])

    def balances(self) -> dict[str, str]:
        """Return all players' balances."""
        return dict(self.control()["balances"])

    def control(self, **changes: Any) -> dict[str, Any]:
        """Change how it behaves, and return its balances and numbers of movements."""
        answer = httpx.post(f"{self.url}/control", json=changes, timeout=CALL_SECONDS)
        return dict(answer.raise_for_status().json())


def start(stack: Stack) -> OwnWallet:
    """Run the wallet until the stack ends; its money and its key stay in the stack's home. Raises DevstackError."""
    file = signing_keys(stack.home.folder, "wallet-key")
    ((_, seed),) = parse_keys("wallet-key", file.read_text(encoding="utf-8").strip())
    port = free_port(0)
    child = stack.add(
        PROCESS,
        [sys.executable, "-m", "casino.devstack.operator", "--port", str(port), "--data", str(_data(stack))],
        {"OPERATOR_KEY": seed.hex(), "CASINO_KEYS": ",".join(_casino_keys(stack.base_url))},
    )
    child.wait_until(lambda: is_responding(port=port, path="/livez"))
    return OwnWallet(f"http://{HOST}:{port}", Ed25519PrivateKey.from_private_bytes(seed))


def _data(stack: Stack) -> Path:
    return stack.home.folder / "wallet.sqlite3"


def _casino_keys(service: str) -> list[str]:
    published = httpx.get(f"{service}/.well-known/jwks.json", timeout=CALL_SECONDS).raise_for_status().json()["keys"]
    return [urlsafe_b64decode(key["x"] + "=").hex() for key in published if key["purpose"] == CASINO_PURPOSE]


def _post(api: httpx.Client, path: str, body: dict[str, Any]) -> None:
    api.post(path, json=body, headers={"Idempotency-Key": uuid4().hex}).raise_for_status()
