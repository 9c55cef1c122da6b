"""The page keeps the receipts of its wagers, and turns red when the house says something else later."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from baccarat.proofs import verifier
from casino.kernel.canonical_json import canonical
from tests.processes import wait_until
from tests.system.browser.screen import Screen

Document = dict[str, Any]
STATUSES = """(round) => Object.entries(localStorage)
    .filter(([name]) => name.startsWith("casino.receipt.") && name.endsWith(round))
    .map(([, kept]) => JSON.parse(kept).status)"""


def play(screen: Screen) -> str:
    """Wager on Banker, and return the round once it is settled."""
    screen.place("banker", "5")
    with screen.page.expect_response(lambda answer: answer.url.endswith("/deal") and answer.ok):
        screen.act("deal")
    return str(screen.house.settled(screen.table, 1)["id"])


def proof_of(screen: Screen, round_: str) -> Document:
    """Export a round, once its last event is sealed."""
    documents: list[Document] = []

    def is_exported() -> bool:
        answer = screen.house.http.get(f"/rounds/{round_}/proof")
        documents.extend([answer.json()] if answer.is_success else [])
        return bool(documents)

    assert wait_until(is_exported)
    return documents[0]


def test_a_round_with_chosen_cards_says_so_wherever_it_is_shown(house, open_screen) -> None:
    screen = open_screen(house.table("mini"), 1)
    chosen = house.post(f"/tables/{screen.table}/forced-cards", {"scenario": "banker_natural"})
    assert (chosen["forced"], chosen["cards"]) == (True, [])
    banner = screen.page.locator(".notice", has_text="Test round: its cards were chosen.")
    expect(banner).to_be_visible()
    round_ = play(screen)
    assert house.get(f"/rounds/{round_}")["cards"] == ["2d", "8s", "5c", "Kh"]
    assert wait_until(lambda: screen.page.evaluate(STATUSES, round_) == ["agrees"])
    expect(banner).to_be_visible()
    expect(screen.open("history").locator(".round-line")).to_contain_text("Test round: its cards were chosen.")
    screen.place("banker", "5")
    expect(banner).to_have_count(0)


def test_an_honest_round_agrees_with_its_receipt_which_can_be_saved_and_verified(
    house, open_screen, tmp_path: Path
) -> None:
    screen = open_screen(house.table("mini"), 1)
    round_ = play(screen)
    assert wait_until(lambda: screen.page.evaluate(STATUSES, round_) == ["agrees"])
    expect(screen.page.locator(".notice.problem")).to_have_count(0)

    panel = screen.open("history")
    with screen.page.expect_download() as saved:
        panel.locator(".receipt.agrees").click()
    saved.value.save_as(tmp_path / "receipt.json")
    keys = verifier.parse_keys(house.http.get(f"{house.base_url}/.well-known/jwks.json").text)
    receipt = (tmp_path / "receipt.json").read_bytes()
    assert [each["kind"] for each in json.loads(receipt)] == ["wager", "payout"]
    checks = verifier.verify(canonical(proof_of(screen, round_)), keys, [receipt])["checks"]
    assert [check["verdict"] for check in checks if check["name"] == "receipt"] == ["ok"]


def other_cut(proof: Document, _: Document) -> Document:
    for event in proof["events"]:
        if event["type"] == "RoundOpened":
            event["data"]["cut"] = "ab" * 32
    return {**proof, "shoe": {**proof["shoe"], "cut": "ab" * 32}}


def round_of_another_table(_: Document, other: Document) -> Document:
    return other


@pytest.mark.parametrize("lie", [other_cut, round_of_another_table])
def test_a_proof_of_another_cut_or_round_than_was_bet_on_turns_the_page_red(
    house, open_screen, lie: Callable[[Document, Document], Document]
) -> None:
    elsewhere = open_screen(house.table("mini"), 1)
    other = proof_of(elsewhere, play(elsewhere))
    screen = open_screen(house.table("mini"), 1)

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json=lie(response.json(), other) if response.ok else response.json())

    screen.page.route("**/rounds/*/proof", answer)
    round_ = play(screen)
    screen.expect_notice("Round 1 does not agree with your receipt. Stop playing")
    assert screen.page.evaluate(STATUSES, round_) == ["differs"]
    with screen.page.expect_download() as saved:
        screen.page.locator(".notice.problem .notice-act").click()
    assert json.loads(Path(saved.value.path()).read_text())[0]["round"] == round_
    screen.page.unroute_all()
    expect(screen.open("history").locator(".receipt.differs")).to_be_visible()
