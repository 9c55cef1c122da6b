"""Money over a running system: a player's deposits and withdrawals, by the sandbox provider's most awkward amounts."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx

from casino.observability.process import ssl_context
from tests.processes import wait_until


class Caller:
    """An operator's server or a player's browser."""

    def __init__(self, base_url: str, credential: str) -> None:
        self.base = f"{base_url}/api/v1"
        self.headers = {"Authorization": f"Bearer {credential}"}

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        headers = {**self.headers, "Idempotency-Key": uuid4().hex}
        answer = httpx.post(f"{self.base}/{path}", json=body, headers=headers, timeout=20, verify=ssl_context())
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def get(self, path: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.base}/{path}", headers=self.headers, timeout=20, verify=ssl_context())
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found


def balances(player: Caller) -> dict[str, str]:
    items = player.get("me/balances")["items"]
    return {item["account"]: item["balance"]["amount"] for item in items if item["money_type"] == "real"}


def pay_in_and_out(operator: Caller, player_of: Callable[[str], Caller], *, strike: Callable[[], object]) -> None:
    """Let a player deposit through a strike, be paid, and take a withdrawal back."""
    card = {"name": "Card", "provider": "sandbox", "currency": "EUR", "minimum": "1.00", "maximum": "1000.00"}
    method = operator.post("deposit-methods", **card, fee_percent="1", supports_withdrawals=True)["id"]
    operator.post("withdrawal-policy", auto_approve_up_to="50.00", second_approval_above="500.00", played_percent=0)
    registered = operator.post("players", reference="saver")["id"]
    player = player_of(operator.post(f"players/{registered}/sessions")["token"])

    # one as usual, one reported five times, one never reported, one with nothing but forged reports
    deposits = [
        player.post("me/deposits", method=method, amount=amount, currency="EUR")["id"]
        for amount in ("100.00", "100.14", "100.13", "100.17")
    ]
    strike()
    assert wait_until(
        lambda: {player.get(f"me/deposits/{deposit}")["status"] for deposit in deposits} == {"completed"}, seconds=120
    )
    assert balances(player) == {"account": "396.41"}

    paid = player.post("me/withdrawals", method=method, amount="50.00", currency="EUR")["id"]
    waits = player.post("me/withdrawals", method=method, amount="60.00", currency="EUR")["id"]
    assert wait_until(lambda: player.get(f"me/withdrawals/{paid}")["status"] == "paid", seconds=120)
    assert balances(player) == {"account": "286.41", "hold": "60.00"}
    assert player.post(f"me/withdrawals/{waits}/cancel")["status"] == "cancelled"
    assert balances(player) == {"account": "346.41", "hold": "0.00"}
