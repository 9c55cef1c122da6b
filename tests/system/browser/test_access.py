"""What the casino did to a player's access is told in play: a new PIN that it requested, sessions that it opened."""

import re
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.system.browser.house import PIN, House
from tests.system.browser.screen import TIMEOUT
from tests.system.browser.test_arrival import signed_in


def test_a_player_keeps_the_pin_that_the_casino_wants_to_replace(house, open_screen):
    table = house.table("mini")
    token = house.seated(table, 1)
    house.give_pin(table, 1)
    house.give_pin(table, 1)  # is a request, as the player has one
    screen = open_screen(table, token=token)
    screen.expect_notice("Your casino has requested a new PIN for you.")

    screen.page.get_by_role("button", name="Keep my PIN").click()
    request = screen.page.locator(".pin-request")
    expect(request).to_contain_text("your limit on a spot can only be lowered")
    request.locator("input[name=pin]").fill("0000")
    request.get_by_role("button", name="Keep my PIN").click()
    expect(request.get_by_role("alert")).to_have_text(re.compile(r"^That PIN is not right\. · Tries left: \d+\.$"))
    request.locator("input[name=pin]").fill(PIN)
    request.get_by_role("button", name="Keep my PIN").click()

    screen.expect_notice("Your PIN stays as it is.")
    expect(request.locator("input")).to_have_count(0)
    screen.press("Escape")


def test_a_session_that_the_casino_opened_elsewhere_is_told_in_the_next_one(house: House, page: Page) -> None:
    table = house.table("mini")
    player = house.post("/players", {"reference": uuid4().hex, "nickname": "Ann"})["id"]
    other = page.locator(".notice", has_text="your casino has opened another session of yours")

    def enter() -> None:
        token = house.post(f"/players/{player}/sessions", {})["token"]
        with page.expect_response("**/me/sessions"):
            page.goto(f"{house.base_url}/play/#token={token}&table={table}")
        expect(page.locator(".board")).to_be_visible(timeout=TIMEOUT)

    enter()
    enter()
    expect(other).to_have_count(0)
    house.post(f"/players/{player}/sessions", {})
    expect(page.locator("[role=alert]", has_text="You came in somewhere else")).to_be_visible(timeout=TIMEOUT)
    enter()
    expect(other).to_be_visible(timeout=TIMEOUT)
    enter()
    expect(other).to_have_count(0)


def test_a_launch_asks_whom_this_browser_does_not_know_before_it_signs_in(house: House, page: Page) -> None:
    def launched() -> str:
        who = {"reference": "sent-by-mallory", "nickname": "Mallory"}
        return str(house.post("/launches", {"player": who})["url"])

    url = launched()
    page.goto(url)
    expect(page.locator(".door [role=alert]")).to_contain_text("as Mallory", timeout=TIMEOUT)
    page.get_by_role("button", name="No, do not change").click()
    expect(page.locator(".door")).to_contain_text("Start the game from your casino's site")
    assert signed_in(page) is None

    page.goto(url)  # nobody has traded its code
    page.get_by_role("button", name="Play as Mallory").click()
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
    page.goto(launched())
    expect(page.locator(".lobby")).to_be_visible(timeout=TIMEOUT)
