"""Check: one line that says by whose keys a round is proven."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Route, expect

from baccarat.proofs import verifier
from casino.witness.addresses import parse_addresses
from tests.support.whole_system import System
from tests.system.browser.house import CURRENCY, House
from tests.system.browser.screen import DESKTOP, TIMEOUT, Screen
from tests.system.browser.show import SIT

WITNESSED = 60_000
"""Milliseconds in which a checkpoint is signed and cosigned on a busy machine."""
SOON = 10_000
"""Milliseconds in which a player who waits sees it."""
MOST_ROUNDS = 12
PROVEN = "Proven with the keys that Bots' house named: the cards were fixed before your bet"
OWN = "Checked with the casino\u2019s own keys"
SHOE = (
    "Proven with the keys that Bots' house named: the cards were fixed before the shoe began; the house could know the "
    "order"
)


@pytest.fixture(scope="module")
def keys(house: House, shared_system: System) -> list[str]:
    """Return the keys that the operator knows: the house's and its witness's."""
    (witness,) = parse_addresses(shared_system.stack.environment["WITNESSES"])
    published = house.http.get(f"{house.base_url}/.well-known/jwks.json").text
    return [*verifier.parse_keys(published), witness.release_key.hex(), witness.cosigner.vkey]


@pytest.fixture
def launched(house: House, browser: Browser, keys: list[str]) -> Generator[Callable[..., Screen]]:
    """Return `launched(table, named)`, which launches a new player with the operator's or other keys, at seat 1."""
    contexts = []

    def launch(table: str, named: Sequence[str] = keys) -> Screen:
        player = {"reference": uuid4().hex, "nickname": "Ana"}
        credit = {"amount": "5000.00", "currency": CURRENCY, "money_type": "play"}
        house.post(f"/players/{house.post('/players', player)['id']}/sandbox-credits", credit)
        answer = house.post("/launches", {"player": player, "table": table, "proof_keys": list(named)})
        contexts.append(browser.new_context(locale="en-GB", viewport=DESKTOP, reduced_motion="reduce"))
        page = contexts[-1].new_page()
        screen = Screen(page, house, table=table, token="", form="")
        page.goto(answer["url"])
        page.get_by_role("button", name="Play as Ana").click()
        expect(page.locator(".game .board")).to_be_visible(timeout=TIMEOUT)
        page.evaluate(SIT, [table, {"seat": 1, "buy_in": "1000.00", "currency": CURRENCY, "money_type": "play"}])
        expect(page.locator("button.spot.mine")).to_have_count(3, timeout=TIMEOUT)
        return screen

    yield launch
    for context in contexts:
        context.close()


def bet(screen: Screen, number: int = 1) -> dict[str, Any]:
    """Wager on Banker, and return the round of this number once it is settled."""
    if number == 1:
        screen.place("banker", "25")
    screen.act("deal" if number == 1 else "rebetDeal")
    return screen.house.settled(screen.table, number)


def bet_with_witness(screen: Screen) -> dict[str, Any]:
    """Bet until a round follows from a link of the witness, and return it."""
    for number in range(1, MOST_ROUNDS):
        follows = bool((screen.house.get(f"/tables/{screen.table}")["terms"] or {}).get("witnesses"))
        round_ = bet(screen, number)
        if follows:
            return round_
    raise AssertionError("no round followed from a link")


def check(screen: Screen, round_: dict[str, Any]) -> Locator:
    """Check a round among one's own, and return the line that says what came of it."""
    panel = screen.open("history")
    panel.get_by_role("button", name=f"Check round {round_['number']}", exact=True).click()
    return panel.locator(".check-line:visible")


def expect_tick(line: Locator, tick: str, words: str, *, timeout: int = TIMEOUT) -> None:
    expect(line).to_have_attribute("data-tick", tick, timeout=timeout)
    expect(line.locator(".check-words")).to_have_text(words)


def test_a_round_is_proven_by_the_keys_of_the_launch_by_itself_once_a_witness_has_cosigned_it(
    house: House, launched: Callable[..., Screen], keys: list[str], tmp_path: Path
) -> None:
    screen = launched(house.table("mini"))

    def by_house(note: str) -> str:
        return "".join(note.splitlines(keepends=True)[:5])  # three lines, an empty one, and the house's signature

    def cosigned_by_nobody(route: Route) -> None:
        response = route.fetch()
        proof = response.json()
        route.fulfill(
            response=response, json={**proof, "checkpoint": by_house(proof["checkpoint"])} if response.ok else proof
        )

    screen.page.route("**/rounds/*/proof*", cosigned_by_nobody)
    round_ = bet_with_witness(screen)
    line = check(screen, round_)
    expect_tick(line, "waiting", "Being witnessed …")
    screen.page.unroute_all()
    expect_tick(line, "proven", PROVEN, timeout=WITNESSED)

    line.get_by_role("button", name="Details").click()
    details = screen.page.get_by_role("dialog", name=f"Round {round_['number']}, checked")
    for key in keys:
        expect(details.locator(".check-keys li", has_text=key)).to_contain_text("named by Bots' house")
    expect(details.locator('[data-check="cosignatures"][data-verdict="ok"]')).to_be_visible()
    for name in ("round", "keys"):
        with screen.page.expect_download() as saved:
            details.get_by_role("button", name=f"Save the {name}").click()
        saved.value.save_as(tmp_path / f"{name}.json")
    command = [sys.executable, verifier.__file__, "round.json", "--key", "keys.json", "--json"]
    verified = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)  # noqa: S603
    assert json.loads(verified.stdout)["verdict"] == "verified", verified.stdout

    page = screen.page.context.new_page()
    page.goto(f"{house.base_url}/play/verify/")
    page.locator("#file").set_input_files([tmp_path / "keys.json", tmp_path / "round.json"])
    expect(page.locator(".verify-verdict.verified")).to_be_visible(timeout=TIMEOUT)


def test_a_round_that_has_just_ended_is_proven_within_ten_seconds(
    house: House, launched: Callable[..., Screen]
) -> None:
    screen = launched(house.table("mini"))
    line = check(screen, bet_with_witness(screen))
    expect_tick(line, "proven", PROVEN, timeout=SOON)


def test_a_long_shoe_of_fixed_order_says_that_the_house_could_know_it(
    house: House, launched: Callable[..., Screen]
) -> None:
    screen = launched(house.table("big_table", caller=False, turn_seconds=60, fixed_order=True))
    expect_tick(check(screen, bet(screen)), "shoe", SHOE, timeout=WITNESSED)


def test_no_bet_is_placed_on_terms_that_no_witness_stands_for_whom_the_operator_named(
    house: House, launched: Callable[..., Screen], keys: list[str]
) -> None:
    table, own = house.table("mini"), keys[-2]
    screen = launched(table, [*(each for each in keys if each != own), "0a" * 32])
    screen.place("banker", "25")
    expect(screen.page.locator(".notice.problem")).to_contain_text("No bet was placed: none of the witnesses that")
    assert house.get(f"/tables/{table}")["round"] is None


def test_without_keys_of_the_operator_a_round_is_checked_with_the_casinos_own_and_never_green(
    house: House, open_screen: Callable[..., Screen]
) -> None:
    screen = open_screen(house.table("mini"), 1)
    round_ = bet(screen)
    line = check(screen, round_)
    expect_tick(line, "own", OWN, timeout=WITNESSED)
    line.get_by_role("button", name="Details").click()
    details = screen.page.get_by_role("dialog", name="Round 1, checked")
    expect(details.get_by_text("published by the casino").first).to_be_visible()


def test_a_round_that_differs_turns_red_and_names_what_failed(house: House, launched: Callable[..., Screen]) -> None:
    screen = launched(house.table("mini"))

    def lie(route: Route) -> None:
        response = route.fetch()
        proof = response.json()
        for event in proof.get("events", []):
            if event["type"] == "CardsDealt":
                event["data"]["cards"][0] = "As" if event["data"]["cards"][0] != "As" else "Ks"
        route.fulfill(response=response, json=proof)

    screen.page.route("**/rounds/*/proof*", lie)
    line = check(screen, bet(screen))
    expect(line).to_have_attribute("data-tick", "failed", timeout=WITNESSED)
    expect(line).to_contain_text(
        "This round does not agree with the casino\u2019s log, rules and cards. Failed: Digests"
    )
    screen.page.unroute_all()


def test_a_round_with_chosen_cards_is_a_test_round_and_no_proof(house: House, launched: Callable[..., Screen]) -> None:
    screen = launched(house.table("mini"))
    house.post(f"/tables/{screen.table}/forced-cards", {"scenario": "banker_natural"})
    expect_tick(check(screen, bet(screen)), "forced", "Test round: its cards were chosen.", timeout=WITNESSED)


def test_the_demo_operator_names_its_keys(house: House, browser: Browser) -> None:
    context = browser.new_context(locale="en-GB", viewport=DESKTOP, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{house.base_url}/play/")
    page.get_by_role("button", name="Play as Ana").click()
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    named = page.evaluate("JSON.parse(sessionStorage.getItem('casino.named'))")
    assert named["by"] == "Demo"
    assert any("+" in key for key in named["keys"])
    context.close()
