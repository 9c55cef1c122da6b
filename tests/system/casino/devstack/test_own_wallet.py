"""The sandbox's casino with a wallet of its own, beside a running system: players who come from its site."""

from collections.abc import Generator
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from casino.devstack import own_wallet
from tests.processes import wait_until
from tests.support.whole_system import System
from tests.system.paying import Caller


@pytest.fixture
def site(system: System) -> Generator[str]:
    """Serve the casino's site, and return its address."""
    with own_wallet.open_site(system.stack) as site:
        yield site.origin


def arrive(base: str, site: str, **wishes: str) -> Caller:
    """Launch the site's visitor, and return a caller with the session's token."""
    launched = httpx.post(f"{site}/launch", json=wishes, headers={"X-Site": "1"}, timeout=30).raise_for_status()
    code = parse_qs(urlsplit(launched.json()["url"]).query)["launch"][0]
    session = httpx.post(f"{base}/api/v1/sessions/launch", json={"code": code}, timeout=30).raise_for_status()
    return Caller(base, session.json()["token"])


def funds(site: str) -> str | None:
    answer = httpx.get(f"{site}/funds", timeout=30)
    return answer.json()["balance"] if answer.is_success else None


def test_its_players_play_and_get_back_what_was_taken_without_an_answer(system: System, site: str) -> None:
    base = system.stack.base_url
    player = arrive(base, site)
    assert funds(site) == "500.00"
    tables = {table["preset"]: f"tables/{table['id']}" for table in player.get("tables")["items"]}
    assert len(tables) == 5
    table, stakes = tables["mini"], [{"spot": "tie", "amount": "10.00"}]
    seat = {"seat": 1, "buy_in": "10.00", "currency": "EUR", "money_type": "real"}
    assert player.post(f"{table}/seat", **seat)["you"]["game_balance"]["amount"] == "500.00"
    round_ = player.post(f"{table}/deal", stakes=stakes, currency="EUR")["round"]["id"]
    assert wait_until(lambda: player.get(f"rounds/{round_}")["phase"] == "settled")
    returned = Decimal(player.get(f"rounds/{round_}")["seats"][0]["result"]["returned"])
    assert wait_until(lambda: Decimal(funds(site) or 0) == 490 + returned)
    player.post(f"{table}/leave")

    unlucky = arrive(base, site, wallet="apply_then_fail")
    unlucky.post(f"{table}/seat", **seat)
    with pytest.raises(AssertionError, match="wallet_did_not_answer"):
        unlucky.post(f"{table}/deal", stakes=stakes, currency="EUR")
    assert wait_until(lambda: funds(site) == "500.00")
    assert httpx.post(f"{site}/launch", json={"wallet": "dance"}, headers={"X-Site": "1"}).status_code == 400

    wallet = system.stack.child("operator")
    wallet.kill()
    wallet.start()
    assert wait_until(lambda: funds(site) == "500.00")
