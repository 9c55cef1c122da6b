"""Money in and out in the browser: by a method that is live, with its time and its fee, to the statement."""

from collections.abc import Generator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.system.browser.house import CURRENCY
from tests.system.browser.screen import TIMEOUT

TERMS = {
    "name": "Card",
    "provider": "sandbox",
    "currency": CURRENCY,
    "minimum": "10.00",
    "maximum": "500.00",
    "fee_fixed": "0.50",
    "fee_percent": "1",
    "processing_seconds": 120,
    "supports_withdrawals": True,
}


@pytest.fixture
def card(house: Any) -> Generator[None]:
    """Offer a method of the sandbox provider during a test."""
    method = house.post("/deposit-methods", TERMS)["id"]
    yield
    house.post(f"/deposit-methods/{method}/versions", {**TERMS, "enabled": False})


def require_accessible(page: Page) -> None:
    """Assert that axe finds nothing in the open dialog."""
    result = Axe().run(page, context="dialog.lobby-account", options={"resultTypes": ["violations"]})
    assert result.violations_count == 0, result.generate_report()


def statement(page: Page) -> list[list[str]]:
    """Read the lines of the statement: what, how much, and the balance after it."""
    lines = page.locator(".statement-lines li")
    expect(lines.first).to_be_visible(timeout=TIMEOUT)
    return [[*line.locator("span, strong").all_inner_texts()] for line in lines.all()]


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("width", [1280, 320])
def test_a_deposit_arrives_a_withdrawal_is_requested_and_both_are_in_the_statement(house, open_screen, width):
    screen = open_screen(house.table("mini"), viewport={"width": width, "height": 800})
    screen.page.locator(".to-lobby").click()
    dialog = screen.page.locator("dialog.lobby-account")

    screen.page.get_by_role("button", name="Deposit").click()
    expect(dialog.locator(".choice")).to_have_text("Cardfee €0.50 + 1 % · about 2 minutes · €10.00 to €500.00")
    expect(dialog.locator(".preset")).to_have_text(["€10.00", "€50.00", "€100.00", "€250.00"])
    dialog.get_by_role("textbox", name="Amount").fill("9")
    dialog.get_by_role("button", name="Deposit").click()
    expect(dialog.get_by_role("alert")).to_have_text(
        "This amount is too small or too large here. · Choose €10.00 or more, but at most €500.00."
    )
    dialog.get_by_role("button", name="€100.00").click()
    dialog.get_by_role("button", name="Deposit").click()
    expect(dialog).to_contain_text("€98.50 is in your account.", timeout=TIMEOUT)
    expect(dialog.locator(".form-fault")).to_be_hidden()
    require_accessible(screen.page)
    dialog.get_by_role("button", name="Close").click()
    expect(screen.page.locator(".lobby-balances")).to_contain_text("€98.50", timeout=TIMEOUT)

    screen.page.get_by_role("button", name="Withdraw").click()
    expect(dialog.locator(".choice")).to_have_text("Cardabout 2 minutes")
    expect(dialog).to_contain_text("In your account: €98.50.")
    expect(dialog.locator(".field-note")).to_have_count(0)  # no policy, no bound
    dialog.get_by_role("textbox", name="Amount").fill("98.51")
    expect(dialog).to_contain_text("That is more than the €98.50 in your account.")
    dialog.get_by_role("button", name="All: €98.50").click()
    expect(dialog).to_contain_text("You get €98.50; the fee is €0.00.")
    dialog.get_by_role("textbox", name="Amount").fill("20")
    expect(dialog).to_contain_text("You get €20.00; the fee is €0.00. Staff check it first.")
    dialog.get_by_role("button", name="Request the withdrawal").click()
    expect(dialog).to_contain_text("€20.00 is held and waits for approval.", timeout=TIMEOUT)
    expect(dialog.locator(".preset")).to_have_text(["All: €78.50"])
    expect(dialog.get_by_role("button", name="Cancel the withdrawal of €20.00")).to_be_visible()
    require_accessible(screen.page)
    dialog.get_by_role("button", name="Close").click()

    screen.page.get_by_role("button", name="Statement").click()
    assert statement(screen.page) == [["Withdrawal", "-€20.00", "€78.50"], ["Deposit", "+€98.50", "€98.50"]]
    require_accessible(screen.page)
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
