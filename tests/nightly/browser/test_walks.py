"""A new player walks from the lobby to a squeeze won, by finger on a phone."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.nightly.browser.test_squeeze import drag_by_touch
from tests.system.browser.house import House
from tests.system.browser.test_walks import MAX_ROUNDS, TIMEOUT, peel_all, won

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("page", [PHONE], indirect=True, ids=["phone"])
def test_with_a_finger_on_a_phone(house: House, page: Page) -> None:
    table = house.table("mini")
    page.goto(f"{house.base_url}/play/#token={house.newcomer()}")
    page.locator(f'[data-table="{table}"] a').tap(timeout=TIMEOUT)
    page.get_by_role("button", name="Take seat 1", exact=True).tap()
    page.get_by_role("button", name="Sit down", exact=True).tap()
    expect(page.locator("button.spot.mine").first).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("button", name="Game menu").tap()
    page.locator('[data-panel="options"]').tap()
    page.get_by_role("switch", name="Squeeze the last card").tap()
    page.locator(".panel-close").tap()
    page.locator('[data-chip="5.00"]').tap()
    page.locator('.panel-spot[data-spot="banker"]').tap()
    page.locator('[data-act="deal"]').tap()

    for _ in range(MAX_ROUNDS):
        peel_all(page, lambda card: drag_by_touch(page, card, 0.8))
        if won(page):
            return
        page.locator('[data-act="rebetDeal"]').tap()
    raise AssertionError("Banker never won")
