"""Money over the whole running system: a player deposits and withdraws, and the audit finds nothing."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from casino.stack.home import PROJECT
from tests.casino.stack.test_up import run
from tests.processes import child_with, clean_environment, manage, wait_until

pytestmark = pytest.mark.slow
STRUCK = ("casino.stack.provider", "celery --app casino worker")


class Caller:
    """An operator's server or a player's browser."""

    def __init__(self, base_url: str, credential: str) -> None:
        self.base = f"{base_url}/api/v1"
        self.headers = {"Authorization": f"Bearer {credential}"}

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        headers = {**self.headers, "Idempotency-Key": uuid4().hex}
        answer = httpx.post(f"{self.base}/{path}", json=body, headers=headers, timeout=20)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def get(self, path: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.base}/{path}", headers=self.headers, timeout=20)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found


def balances(player: Caller) -> dict[str, str]:
    items = player.get("me/balances")["items"]
    return {item["account"]: item["balance"]["amount"] for item in items if item["book"] == "real"}


@pytest.fixture
def environment(tmp_path: Path) -> Generator[dict[str, str]]:
    """Variables with a folder of homes of the test's own."""
    variables = clean_environment(CASINO_HOME=str(tmp_path / "homes"))
    yield variables
    subprocess.run([sys.executable, "-m", "casino.stack.clean"], env=variables, cwd=PROJECT, check=True)


def test_money_comes_in_and_goes_out_through_the_provider_though_it_and_the_payer_are_killed(
    environment: dict[str, str], tmp_path: Path
) -> None:
    homes, log = tmp_path / "homes", tmp_path / "up.log"
    with manage("up", "--port", "0", "--no-reload", environment=environment, log=log) as up:
        assert wait_until(lambda: "Stop with Ctrl-C" in log.read_text() or up.poll() is not None), log.read_text()
        base = re.findall(r"http://127\.0\.0\.1:\d+", log.read_text())[0]
        (key,) = homes.rglob("operator-key")
        operator = Caller(base, key.read_text().strip())
        _play(base, operator, strike=lambda: [os.kill(child_with(up.pid, words), signal.SIGKILL) for words in STRUCK])
        assert "payer runs again" in log.read_text()
        assert "provider runs again" in log.read_text()
        audit = run("audit", environment=environment)
        assert audit.returncode == 0, audit.stdout
        rebuilt = run("rebuild", "--check", environment=environment)
        assert rebuilt.returncode == 0, rebuilt.stdout
        assert "wallet_deposit=4 wallet_withdrawal=2" in rebuilt.stdout


def _play(base: str, operator: Caller, *, strike: Callable[[], object]) -> None:
    card = {"name": "Card", "provider": "sandbox", "currency": "EUR", "minimum": "1.00", "maximum": "1000.00"}
    method = operator.post("deposit-methods", **card, fee_percent="1", payouts=True)["id"]
    operator.post("withdrawal-policy", automatic_up_to="50.00", second_above="500.00")
    registered = operator.post("players", reference="saver")["id"]
    player = Caller(base, operator.post(f"players/{registered}/sessions")["token"])

    # one as usual, one reported five times, one never reported, one with nothing but forged reports
    deposits = [
        player.post("me/deposits", method=method, amount=amount, currency="EUR")["id"]
        for amount in ("100.00", "100.14", "100.13", "100.17")
    ]
    strike()
    assert wait_until(
        lambda: {player.get(f"me/deposits/{deposit}")["status"] for deposit in deposits} == {"completed"}, seconds=60
    )
    assert balances(player) == {"account": "396.41"}

    paid = player.post("me/withdrawals", method=method, amount="50.00", currency="EUR")["id"]
    waits = player.post("me/withdrawals", method=method, amount="60.00", currency="EUR")["id"]
    assert wait_until(lambda: player.get(f"me/withdrawals/{paid}")["status"] == "paid", seconds=60)
    assert balances(player) == {"account": "286.41", "hold": "60.00"}
    assert player.post(f"me/withdrawals/{waits}/cancel")["status"] == "cancelled"
    assert balances(player) == {"account": "346.41", "hold": "0.00"}
