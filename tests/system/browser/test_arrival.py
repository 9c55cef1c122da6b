"""Arriving by a link with a token: nobody is led into somebody else's session unasked."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.system.browser.house import House

TIMEOUT = 30_000


@pytest.fixture
def page(browser: Browser) -> Generator[Page]:
    """Open a window of a browser in which nobody has played."""
    context = browser.new_context(locale="en-GB")
    yield context.new_page()
    context.close()


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


@pytest.mark.parametrize("missing", ["**/core/phase.js", "**/main.js", "**/table.css"])
def test_a_page_that_did_not_load_whole_loads_itself_again(house: House, page: Page, missing: str) -> None:
    refused: list[str] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) == 2:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.fulfill(status=503)

    page.route(missing, refuse_twice)
    visit(page, house, house.newcomer())
    while len(refused) < 2:
        page.wait_for_timeout(200)
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)


@pytest.mark.parametrize("part", ["**/messages/en*.json", "**/view/game*.js"])
def test_a_page_of_which_a_part_did_not_arrive_is_loaded_again_with_its_token(
    house: House, page: Page, part: str
) -> None:
    token = house.newcomer()
    page.route(part, lambda route: route.abort(), times=1)
    visit(page, house, token)
    expect(page.locator(".boot")).to_contain_text("Trying again", timeout=TIMEOUT)
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    assert signed_in(page) == token
