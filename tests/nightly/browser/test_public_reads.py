"""The page compares rounds with what their witness shows at its own address, and turns red when the two differ."""

import contextlib
import sqlite3
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Route, expect

from casino.crypto import ed25519
from casino.devstack.bots.house import new_operator
from casino.devstack.home import checkpoints_folder
from casino.devstack.system import Stack
from casino.witness import statements
from casino.witness.addresses import WitnessAddress, parse_addresses
from casino.witness.statements import Release
from tests.processes import wait_until
from tests.system.browser.house import House
from tests.system.browser.screen import TIMEOUT, Screen
from tests.system.browser.test_receipts import STATUSES
from tests.system.browser.windows import Windows

MOST_ROUNDS = 12
READS = "**/v1/chains/*/*"
WITHHOLD = """async (code) => {
  const { faultOfLinks } = await import("/static/play/js/view/receipts.js");
  const [round, clock] = [crypto.randomUUID(), performance.now.bind(performance)];
  try {
    return [0, 59_000, 61_000].map((ahead) => {
      performance.now = () => clock() + ahead;
      return faultOfLinks(round, code) ?? null;
    });
  } finally {
    performance.now = clock;
  }
}"""
"""Returns what the page makes of a round whose links can't be compared, at once and around a minute later."""


@pytest.fixture(scope="module")
def address(stack: Stack) -> WitnessAddress:
    """Return the address of the system's witness."""
    return parse_addresses(stack.environment["WITNESSES"])[0]


@pytest.fixture
def screen(stack: Stack, address: WitnessAddress, browser: Browser) -> Generator[Screen]:
    """Open a table whose next round follows from a link of the witness."""
    credential = new_operator(stack, f"reads{len(browser.contexts)}")
    with contextlib.closing(House(stack.base_url, credential, witnesses=(address.url,))) as house:
        windows, table = Windows(browser), house.table("mini")
        screen = windows.open(house, table=table, token=house.seated(table, 1), latency=0, clock=False, form={})
        for number in range(1, MOST_ROUNDS):
            bet(screen, number)
            if house.get(f"/tables/{table}")["terms"]["witnesses"]:
                break
        yield screen
        windows.close(screen)


def bet(screen: Screen, number: int) -> dict[str, Any]:
    """Wager on Banker, and return the round of this number once it is settled."""
    if number == 1:
        screen.place("banker", "5")
        screen.act("deal")
    else:
        screen.act("rebetDeal")
    return screen.house.settled(screen.table, number)


def bet_with_witness(screen: Screen) -> dict[str, Any]:
    """Play the next round, which follows from a link."""
    last = screen.house.get(f"/tables/{screen.table}")["last_round"]["number"]
    return bet(screen, last + 1)


def status(screen: Screen, round_: dict[str, Any]) -> list[str]:
    statuses: list[str] = screen.page.evaluate(STATUSES, round_["id"])
    return statuses


def test_a_round_agrees_with_what_its_witness_shows_and_the_verdict_names_its_cosignature(
    screen: Screen, stack: Stack, address: WitnessAddress
) -> None:
    reads: list[str] = []
    screen.page.on("request", lambda request: reads.append(request.url))
    round_ = bet_with_witness(screen)
    assert wait_until(lambda: status(screen, round_) == ["agrees"])
    assert any(url.startswith(f"{address.url}/v1/chains/") for url in reads)
    expect(screen.page.locator(".notice.problem")).to_have_count(0)
    screen.require_no_errors()

    stack.manage("checkpoint")

    def is_covered() -> bool:
        answer = screen.house.http.get(f"/rounds/{round_['id']}/proof")
        return answer.is_success and answer.json()["cosigned"] is not None

    assert wait_until(is_covered, seconds=120)
    panel = screen.open("history")
    panel.get_by_role("button", name=f"Check round {round_['number']}", exact=True).click()
    panel.get_by_role("button", name="Details").click()
    details = screen.page.get_by_role("dialog", name=f"Round {round_['number']}, checked")
    for name in ("public", "cosignatures"):
        expect(details.locator(f'[data-check="{name}"][data-verdict="ok"]')).to_be_visible(timeout=TIMEOUT)
    expect(details).to_contain_text(f"Cosigned by {address.name}")
    expect(details).to_contain_text(f"read from {address.name} itself")


def test_a_house_that_shows_another_statement_than_the_witness_turns_the_page_red(screen: Screen) -> None:
    def answer(route: Route) -> None:
        response = route.fetch()
        proof = response.json()
        for event in proof.get("events", []):
            if event["type"] == "LinksReleased":
                event["data"]["releases"][0]["time_ms"] -= 60_000
        route.fulfill(response=response, json=proof)

    screen.page.route("**/rounds/*/proof", answer)
    round_ = bet_with_witness(screen)
    screen.expect_notice(f"Round {round_['number']} does not agree with your receipt")
    assert status(screen, round_) == ["differs"]
    screen.page.unroute_all()


def test_a_round_waits_for_a_witness_that_does_not_answer(screen: Screen) -> None:
    attempts: list[str] = []

    def refuse(route: Route) -> None:
        attempts.append(route.request.url)
        route.abort()

    screen.page.route(READS, refuse)
    round_ = bet_with_witness(screen)
    assert wait_until(lambda: status(screen, round_) == ["kept"] and attempts)  # each call lets requests be refused
    expect(screen.page.locator(".notice.problem")).to_have_count(0)
    screen.page.unroute_all()
    assert wait_until(lambda: status(screen, round_) == ["agrees"], seconds=120)


def test_a_house_that_names_no_witness_for_a_round_with_a_link_turns_the_page_red(screen: Screen) -> None:
    screen.page.route("**/log/witnesses", lambda route: route.fulfill(json={"items": []}))
    round_ = bet_with_witness(screen)
    screen.expect_notice(f"The casino names no witness for round {round_['number']}")
    assert status(screen, round_) == ["differs"]
    screen.page.unroute_all()


def test_a_link_that_the_house_withholds_for_a_minute_turns_the_page_red(screen: Screen) -> None:
    assert screen.page.evaluate(WITHHOLD, "public.later") == [None, None, "receipt.withheld"]
    assert screen.page.evaluate(WITHHOLD, "public.away") == [None, None, None]


def lie(stack: Stack, chain: str, index: int) -> None:
    """Have the running witness say something else of an index, with a good signature of its own key."""
    folder = checkpoints_folder(stack.home.folder, database="").with_suffix(".witness")
    secret = bytes.fromhex((folder / "release.key").read_text())
    with contextlib.closing(sqlite3.connect(next(Path(folder).glob("*.sqlite3")))) as database:
        database.execute("DROP TRIGGER statement_update")
        place = [bytes.fromhex(chain), index]
        condition = "WHERE chain = ? AND link_index = ?"
        (body,) = database.execute(f"SELECT body FROM statement {condition}", place).fetchone()  # noqa: S608
        said = statements.parse_statement(body)
        assert isinstance(said, Release)
        other = replace(said, digest=b"\x99" * 32).serialize()
        signature = ed25519.sign(secret, other)
        database.execute(f"UPDATE statement SET body = ?, signature = ? {condition}", [other, signature, *place])  # noqa: S608
        database.commit()


def test_a_witness_that_says_something_else_turns_the_page_red(
    screen: Screen, stack: Stack, address: WitnessAddress
) -> None:
    screen.page.route(READS, lambda route: route.abort())  # it is compared once the witness lies
    place = screen.house.get(f"/tables/{screen.table}")["terms"]["witnesses"][0]
    round_ = bet_with_witness(screen)
    path = f"{address.url}/v1/chains/{place['chain']}/{place['index']}"
    before = httpx.get(path).json()["statement"]
    lie(stack, place["chain"], place["index"])
    assert httpx.get(path).json()["statement"] != before
    screen.page.unroute_all()
    screen.expect_notice(f"A witness says something else of round {round_['number']} than the casino")
    assert status(screen, round_) == ["differs"]
