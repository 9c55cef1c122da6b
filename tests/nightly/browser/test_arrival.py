"""A page that did not arrive whole is loaded again."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.system.browser.house import House
from tests.system.browser.test_arrival import TIMEOUT, signed_in, visit


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
