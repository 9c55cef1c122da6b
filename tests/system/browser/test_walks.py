"""New players walk from the lobby to a squeeze won: by mouse, by finger on a phone, and by keyboard alone."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.system.browser.house import House
from tests.system.browser.screen import DESKTOP

TIMEOUT = 30_000
MAX_TABS = 60
MAX_ROUNDS = 40
"""Rounds within which the smallest stake on Banker wins; the buy-in lasts for 20 losses, as rare as 1 in a million."""


CALM: dict[str, Any] = {"viewport": DESKTOP, "reduced_motion": "reduce"}


def peel_all(page: Page, peel: Callable[[Locator], None]) -> None:
    """Peel each card that may be the last of the round, until it is called."""
    card = page.locator(".last-card .card.squeeze")
    expect(card).to_be_visible(timeout=TIMEOUT)
    while card.count():
        peel(card)
        expect(card).to_have_count(0)
        expect(card.or_(page.locator('.game:not([data-step="dealing"])'))).to_be_visible(timeout=TIMEOUT)


def won(page: Page) -> bool:
    """Wait for this round's call, and return whether the player has won."""
    net = page.locator(".callout:not([hidden]) .callout-net")
    expect(net).to_have_text(re.compile(r"\d"), timeout=TIMEOUT)
    return (net.text_content() or "").startswith("+")


def test_with_a_mouse(house: House, page: Page) -> None:
    table = house.table("mini")
    page.goto(f"{house.base_url}/play/#token={house.newcomer()}")
    page.locator(f'[data-table="{table}"] a').click(timeout=TIMEOUT)
    expect(page.locator(".message")).to_have_text("Take a seat to play")
    page.get_by_role("button", name="Seat 1: free").click()
    page.get_by_role("button", name="Sit down", exact=True).click()
    page.locator(".corner").hover()
    page.locator('[data-panel="options"]').click()
    page.get_by_role("switch", name="Squeeze the last card").check()
    page.locator(".panel-close").click()
    page.locator('[data-chip="5.00"]').click()
    page.locator('.circle[data-spot="banker"]').click()
    page.locator('[data-act="deal"]').click()

    def peel(card: Locator) -> None:
        side = page.locator(".last-card").get_attribute("data-side")
        box = card.bounding_box()
        for other in page.locator(f".hand.{side} .card.shown").all():
            assert apart(box, other.bounding_box()), "the cards that it is added to stay in view"
        x, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"] - 4
        page.mouse.move(x, bottom)
        page.mouse.down()
        page.mouse.move(x, bottom - 0.8 * box["height"], steps=6)
        page.mouse.up()

    for _ in range(MAX_ROUNDS):
        peel_all(page, peel)
        if won(page):
            return
        page.locator('[data-act="rebetDeal"]').click()
    raise AssertionError("Banker never won")


def apart(a: dict[str, float], b: dict[str, float]) -> bool:
    """Return whether two boxes do not overlap."""
    return (
        a["x"] + a["width"] <= b["x"]
        or b["x"] + b["width"] <= a["x"]
        or a["y"] + a["height"] <= b["y"]
        or b["y"] + b["height"] <= a["y"]
    )


def reach(page: Page, target: Locator) -> None:
    """Press Tab until this has the focus, which must be drawn."""
    expect(target).to_be_visible(timeout=TIMEOUT)
    for _ in range(MAX_TABS):
        if target.evaluate("element => element === document.activeElement"):
            assert target.evaluate("element => element.matches(':focus-visible')")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no way to {target} by Tab")


@pytest.mark.parametrize("page", [CALM], indirect=True, ids=["reduced motion"])
def test_with_the_keyboard_alone(house: House, page: Page) -> None:
    table = house.table("mini")
    page.goto(f"{house.base_url}/play/#token={house.newcomer()}")
    reach(page, page.get_by_role("searchbox"))
    page.keyboard.type(house.get(f"/tables/{table}")["name"])
    reach(page, page.locator(f'[data-table="{table}"] a'))
    page.keyboard.press("Enter")
    reach(page, page.get_by_role("button", name="Seat 1: free"))
    page.keyboard.press("Enter")
    reach(page, page.get_by_label("Bring to the table"))
    page.keyboard.press("Enter")
    expect(page.locator("button.spot.mine").first).to_be_visible(timeout=TIMEOUT)
    reach(page, page.locator('[data-panel="options"]'))
    page.keyboard.press("Enter")
    reach(page, page.get_by_role("switch", name="Squeeze the last card"))
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("b")
    expect(page.locator('[data-act="deal"]')).to_be_enabled(timeout=TIMEOUT)
    reach(page, page.locator('[data-act="deal"]'))
    page.keyboard.press("Enter")

    def peel(card: Locator) -> None:
        expect(card).to_be_focused(timeout=TIMEOUT)
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")

    for _ in range(MAX_ROUNDS):
        peel_all(page, peel)
        if won(page):
            return
        page.keyboard.press("r")
    raise AssertionError("Banker never won")
