"""Arriving by a link with a token: nobody is led into somebody else's session unasked."""

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.house import House

TIMEOUT = 30_000


def visit(page: Page, house: House, token: str) -> None:
    page.goto(f"{house.base_url}/play/#token={token}")


def signed_in(page: Page) -> str | None:
    token: str | None = page.evaluate("JSON.parse(sessionStorage.getItem('casino.token'))")
    return token


def test_the_first_player_in_a_browser_is_signed_in_and_the_token_leaves_the_address(house: House, page: Page) -> None:
    token = house.newcomer()
    visit(page, house, token)
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    assert signed_in(page) == token
    assert "token" not in page.url


@pytest.mark.parametrize("same_window", [True, False])
def test_a_link_with_another_players_token_signs_nobody_in_unless_confirmed(
    house: House, page: Page, *, same_window: bool
) -> None:
    own, strangers = house.newcomer(), house.newcomer()
    visit(page, house, own)
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)

    window = page if same_window else page.context.new_page()
    before = signed_in(page) if same_window else None
    visit(window, house, strangers)
    question = window.locator(".door [role=alert]")
    expect(question).to_contain_text("was the last player here", timeout=TIMEOUT)
    assert signed_in(window) == before
    assert "token" not in window.url

    window.get_by_role("button", name="No, do not change").click()
    expect(question).to_be_hidden(timeout=TIMEOUT)
    assert signed_in(window) == before

    visit(window, house, strangers)
    window.locator(".change-player").click()
    expect(window.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    assert signed_in(window) == strangers


def test_a_link_with_a_token_that_is_not_valid_ends_no_session(house: House, page: Page) -> None:
    own = house.newcomer()
    visit(page, house, own)
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    visit(page, house, "pt_" + "x" * 43)
    expect(page).to_have_url(f"{house.base_url}/play/")
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    assert signed_in(page) == own
