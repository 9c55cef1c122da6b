"""One meaning of each key and button: keys do what is printed, and no words contradict what may be done."""

import pytest
from playwright.sync_api import expect

from tests.system.browser.house import PIN
from tests.system.browser.screen import TIMEOUT


def test_enter_deals_whatever_was_clicked_last_and_space_presses_it(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "25", "5")
    screen.place("tie", "5")
    screen.act("undo")
    expect(screen.chips_on("tie")).to_have_count(0)
    screen.press("Space")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.page.locator('[data-panel="stats"]').click()
    screen.page.locator(".panel-close").click()

    screen.press("Enter")

    round_ = house.settled(table, 1)
    assert round_["seats"][0]["stakes"] == [{"spot": "banker", "amount": "25.00"}]
    screen.answered()
    screen.press("Enter")
    screen.answered()
    assert house.get(f"/tables/{table}")["round"] is None


def test_double_doubles_every_stake_once_or_not_at_all(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    expect(screen.button("double")).to_be_disabled()
    screen.place("banker", "100")
    screen.place("tie", "5")
    screen.act("double")
    expect(screen.bet).to_have_text("€210.00")
    screen.answered()
    assert house.seat_of(table, 1)["placed"] == [
        {"spot": "banker", "amount": "200.00"},
        {"spot": "tie", "amount": "10.00"},
    ]
    expect(screen.button("double")).to_be_disabled()
    screen.press("d")
    screen.answered()
    expect(screen.bet).to_have_text("€210.00")

    screen.act("undo")
    expect(screen.bet).to_have_text("€105.00")
    screen.answered()
    assert house.seat_of(table, 1)["placed"] == [
        {"spot": "banker", "amount": "100.00"},
        {"spot": "tie", "amount": "5.00"},
    ]


def test_double_is_not_offered_beyond_the_players_own_limit(house, open_screen):
    table = house.table("mini")
    token = house.seated(table, 1)
    house.give_pin(table, 1)
    house.post("/me/table-limit", {"limit": "40.00", "currency": "EUR", "pin": PIN}, token)
    screen = open_screen(table, token=token)
    screen.place("tie", "5")
    expect(screen.button("double")).to_be_enabled()
    screen.place("banker", "25")
    expect(screen.button("double")).to_be_disabled()
    screen.act("undo")
    expect(screen.button("double")).to_be_enabled()


def test_a_table_for_one_invites_to_bet_while_it_shows_the_last_hand(house, open_screen):
    shown = {"show_milliseconds": dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards"), 9_000)}
    table = house.table("mini", show_milliseconds={**shown["show_milliseconds"], "ceremony": 0})
    screen = open_screen(table, 1, reduced_motion="no-preference")
    message = screen.page.locator(".message")
    screen.place("banker", "25")
    screen.act("deal")
    expect(screen.page.locator('.game[data-step="dealing"]')).to_be_visible(timeout=TIMEOUT)
    expect(message).to_have_text("The cards are dealt")
    expect(screen.spot("tie")).not_to_have_attribute("aria-disabled", "true")

    screen.press("x")

    expect(message).to_have_text("New game: place your bet")
    screen.spot("tie").click()
    expect(screen.chips_on("tie")).to_have_text("25")


@pytest.mark.parametrize("arrives", [True, False], ids=["taken", "not taken"])
def test_after_deal_the_page_says_that_it_sends_then_that_it_does_not_know_then_the_truth(house, open_screen, arrives):
    table = house.table("atlantic_city", turn_seconds=600)
    tokens = house.company(table, 1, 2)
    screen = open_screen(table, token=tokens[0])
    screen.usual = False
    message = screen.page.locator(".message")
    screen.place("banker", "25")
    screen.answered()
    deals = []

    def lose(route):
        if arrives and not deals:
            route.fetch()
        deals.append(route)
        if len(deals) > 1:
            route.abort()

    screen.page.route("**/deal", lose)
    screen.act("deal")

    expect(message).to_have_text("Sending …")
    expect(screen.button("deal")).to_be_disabled()
    expect(message).to_have_text("Not known yet whether your bet is in play", timeout=TIMEOUT)
    deals[0].abort()
    screen.page.unroute("**/deal")

    expect(message).to_have_text("Your wager is in play. Waiting for the others", timeout=TIMEOUT)
    assert house.seat_of(table, 1)["stakes"] == [{"spot": "banker", "amount": "25.00"}]
