"""The lobby as a player chooses from it: live cards, filters, one's own table first, and the account."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.system.browser.house import CURRENCY
from tests.system.browser.screen import TIMEOUT, Screen


@pytest.fixture
def open_lobby(house: Any, windows: Any, open_screen: Any) -> Any:
    """Return a function that opens a player's lobby from a table, and returns its page."""

    def open_from(table: str, token: str, **form: Any) -> Page:
        screen: Screen = open_screen(table, token=token, **form)
        screen.page.locator(".to-lobby").click()
        expect(screen.page.locator("main.lobby")).to_be_visible(timeout=TIMEOUT)
        return screen.page

    return open_from


def card(page: Page, table: str) -> Any:
    return page.locator(f'.lobby-table[data-table="{table}"]')


def test_the_own_table_comes_first_and_leads_back_to_the_seat(house, open_lobby):
    other, own = house.table("mini"), house.table("classic")
    token = house.seated(own, 1)
    page = open_lobby(own, token)

    expect(page.locator(".lobby-table").first).to_have_attribute("data-table", own)
    expect(card(page, own)).to_contain_text("Back to your seat")
    expect(card(page, other)).to_contain_text("Choose a seat")
    card(page, own).get_by_role("link").click()
    expect(page.locator(f'.game[data-table="{own}"] .board')).to_be_visible(timeout=TIMEOUT)


def test_a_card_follows_its_table_without_a_reload(house, open_lobby):
    table = house.table("atlantic_city", turn_seconds=600)
    page = open_lobby(table, house.newcomer())
    expect(card(page, table)).to_contain_text("0 of 5 players")
    expect(card(page, house.table("mini"))).to_contain_text("For one player", timeout=TIMEOUT)
    expect(card(page, table)).to_contain_text("No hands yet")

    token = house.seated(table, 2)
    expect(card(page, table)).to_contain_text("1 of 5 players", timeout=TIMEOUT)
    expect(card(page, table).locator(".lobby-phase")).to_have_attribute("data-phase", "betting")
    expect(card(page, table).locator(".lobby-ring")).to_have_text(re.compile(r"^\d{3}$"))

    wager = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": CURRENCY}
    house.post(f"/tables/{table}/deal", wager, token)
    outcome = house.settled(table, 1)["outcome"]
    expect(card(page, table).locator(".road [data-number]")).to_have_count(0 if outcome == "tie" else 1)
    new = house.table("overview")
    expect(card(page, new)).to_be_visible(timeout=TIMEOUT)


def test_limits_a_break_rounds_options_help_and_the_session_are_in_the_lobby_too(house, open_lobby):
    first, second = house.table("mini"), house.table("classic")
    token = house.seated(first, 1)
    wager = {"stakes": [{"spot": "tie", "amount": "10.00"}], "currency": CURRENCY}
    house.post(f"/tables/{first}/deal", wager, token)
    house.settled(first, 1)
    page = open_lobby(second, token)
    menu, dialog = page.get_by_role("navigation", name="Game menu"), page.locator("dialog.lobby-account")
    expect(page.locator(".position")).to_have_text(re.compile(r"^Session \d+ min €0\.00$"), timeout=TIMEOUT)

    menu.get_by_role("button", name="Rounds").click()
    line = dialog.locator(".round-line")
    expect(line).to_contain_text(house.get(f"/tables/{first}")["name"])
    expect(line.get_by_role("button", name="Check round 1")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()

    menu.get_by_role("button", name="Help").click()
    expect(dialog.get_by_role("heading", name="Customer care")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    menu.get_by_role("button", name="Limits").click()
    dialog.get_by_label("At most").fill("50")
    dialog.get_by_role("button", name="Set the limit").first.click()
    expect(dialog.locator("[data-limit='deposit day']")).to_contain_text("Used: €0.00. Left: €50.00.")
    pause = dialog.locator(".bounds-part", has_text="Take a break")
    pause.locator("summary").click()
    pause.get_by_label("3 days").check()
    pause.get_by_role("button", name="Go on").click()
    pause.get_by_label("I have understood").check()
    pause.get_by_role("button", name="Stop for 3 days").click()
    expect(pause.get_by_role("status")).to_contain_text("You take a break until")
    page.keyboard.press("Escape")
    expect(page.locator(".notice")).to_contain_text("You take a break until")

    menu.get_by_role("button", name="Options").click()
    dialog.get_by_text("Sound", exact=True).click()
    expect(dialog.get_by_role("switch", name="Sound")).not_to_be_checked()
    dialog.get_by_label("Language").select_option("de")
    expect(page.get_by_role("navigation").get_by_role("button", name="Hilfe")).to_be_visible()
    page.evaluate("localStorage.removeItem('casino.language')")
