"""A round as a screen reader has it: what is named in which order, and what is said by itself."""

from collections.abc import Callable, Iterable, Sequence

from playwright.sync_api import Page, expect

from tests.system.browser.house import House
from tests.system.browser.screen import TIMEOUT, Screen

HEAR = """() => {
    window.heard = [];
    for (const region of document.querySelectorAll("#live, #alert")) {
        new MutationObserver(() => region.textContent && heard.push(region.textContent.trim()))
            .observe(region, { characterData: true, childList: true, subtree: true });
    }
}"""
CONTROLS = {"button", "link", "textbox", "searchbox", "switch", "radio", "checkbox", "image", "region", "heading"}


def names(page: Page) -> list[str]:
    """Return roles and names of Chromium's accessibility tree, in its order, what is disabled marked so."""
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    known, found = {node["nodeId"]: node for node in nodes}, []
    waiting = [nodes[0]]
    while waiting:
        node = waiting.pop()
        if not node["ignored"] and node["role"]["value"] in CONTROLS | {"main", "StaticText"}:
            disabled = any(each["name"] == "disabled" for each in node.get("properties", ()))
            found.append(f"{node['role']['value']} {node['name']['value']}{' (disabled)' if disabled else ''}".strip())
        waiting += [known[child] for child in reversed(node.get("childIds", ())) if child in known]
    client.detach()
    return found


def assert_in_order(wanted: Sequence[str], found: Iterable[str]) -> None:
    """Assert that all of these are found, in this order; others may lie between them."""
    rest = iter(found)
    assert [each for each in wanted if each not in rest] == []


def test_a_round_is_played_by_names_alone_and_its_result_is_said_and_named(
    house: House, open_screen: Callable[..., Screen]
) -> None:
    table = house.table("mini")
    page = open_screen(table, 1, reduced_motion="no-preference").page
    house.post(f"/tables/{table}/forced-cards", {"scenario": "banker_wins_by_third_card"})
    expect(page.locator(".notice")).to_contain_text("its cards were chosen")
    page.evaluate(HEAR)
    spot, deal = (
        page.get_by_role("button", name="Banker 1:1 \N{MINUS SIGN} 5%"),
        page.get_by_role("button", name="Deal", exact=True),
    )
    found = names(page)
    assert [each for each in found if each in CONTROLS] == [], "a control without a name"
    assert_in_order(
        [
            f"heading {house.get(f'/tables/{table}')['name']}",
            "image Connected",
            "main Table",
            "button Seat 1: You betting (disabled)",
            "region Player's hand",
            "region Banker's hand",
            "button Player 1:1, seat 1: no chips",
            "button Tie 8:1, seat 1: no chips",
            "button Banker 1:1 \N{MINUS SIGN} 5%, seat 1: no chips",
            "button Chip of €25.00",
            "button Deal (disabled)",
        ],
        found,
    )

    page.get_by_role("button", name="Chip of €25.00").press("Space")
    spot.press("Space")
    expect(page.get_by_role("button", name="Banker 1:1 \N{MINUS SIGN} 5%, seat 1: €25.00")).to_be_visible()
    expect(deal).to_be_enabled()
    deal.press("Space")
    page.get_by_role("button", name="Banker 1:1 \N{MINUS SIGN} 5%, seat 1: €25.00. +25 \N{MINUS SIGN} 1.25").wait_for(
        timeout=TIMEOUT
    )
    expect(page.locator('.game[data-step="over"]')).to_be_visible(timeout=TIMEOUT)

    assert_in_order(
        [
            "region Player's hand",
            "heading PLAYER",
            "StaticText 6",
            "image six of spades",
            "image king of hearts",
            "region Banker's hand",
            "heading BANKER",
            "StaticText 9",
            "image two of diamonds",
            "image three of clubs",
            "image four of diamonds",
            "button Banker 1:1 \N{MINUS SIGN} 5%, seat 1: no chips",
        ],
        names(page),
    )
    said = ["€25.00 on Banker", "Banker wins 9 over 6. For you: +€23.75. Commission €1.25"]
    assert_in_order(said, page.evaluate("heard"))
