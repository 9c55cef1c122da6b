"""Limits that players set for themselves, reality checks, breaks and low balances, on the table page."""

from playwright.sync_api import expect

from tests.nightly.browser.test_presets import MAX_ROUNDS
from tests.system.browser.house import PIN


def test_a_players_own_limit_is_set_with_the_pin_and_enforced(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    house.give_pin(screen.table, 1)
    panel = screen.open("limit").locator(".bounds-part", has_text="Limit on a spot")
    panel.locator("summary").click()
    panel.get_by_label("Most you will stake on a spot").fill("20")
    panel.get_by_label("Your PIN").fill("0000")
    panel.get_by_role("button", name="Set the limit").click()
    expect(panel.get_by_role("alert")).not_to_be_empty()
    panel.get_by_label("Your PIN").fill(PIN)
    panel.get_by_role("button", name="Set the limit").click()
    expect(panel.locator(".limit-now")).to_contain_text("€20.00")

    screen.press("Escape")
    screen.place("banker", "25")

    expect(screen.notice.filter(has_text="limit").first).to_be_visible()
    expect(screen.bet).to_have_text("€0.00")


def test_limits_on_play_apply_at_once_and_an_increase_needs_a_later_confirmation(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    panel = screen.open("limit")
    expect(panel.locator(".played-period h4")).to_have_text(["Session", "24 hours", "7 days", "a month"])

    panel.locator("#play-limit-limit_type").select_option("Losses")
    panel.get_by_label("At most").fill("50")
    panel.get_by_role("button", name="Set the limit").first.click()
    line = panel.locator("[data-limit='loss day']")
    expect(line).to_contain_text("Used: €0.00. Left: €50.00.")
    expect(line).to_contain_text("You set this limit.")

    line.get_by_role("button", name="Change the limit").click()
    panel.get_by_label("At most").fill("80")
    screen.press("Enter")
    expect(line.locator(".limit-wish")).to_contain_text("You asked for €80.00")
    expect(line).to_contain_text("Left: €50.00.")
    expect(line.get_by_role("button", name="Yes, raise it")).to_have_count(0)
    line.get_by_role("button", name="Keep the lower limit").click()
    expect(line.locator(".limit-wish")).to_have_count(0)


def test_a_reality_check_is_shown_when_it_is_due(house, open_screen):
    screen = open_screen(house.table("mini"), 1, clock=True)
    expect(screen.page.locator(".game[data-reminder]")).to_have_count(1)

    screen.page.clock.fast_forward("01:00:05")

    screen.expect_notice("You have been here for 0 minutes and played for 0 min. With real money: €0.00.")
    screen.notice.get_by_role("button", name="Limits").click()
    expect(screen.page.locator(".played-facts").first).to_be_visible()
    screen.notice.get_by_role("button", name="Go on").click()
    expect(screen.notice.filter(has_text="You have been here")).to_have_count(0)


def test_a_break_is_confirmed_twice_and_then_play_is_refused(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    panel = screen.open("limit").locator(".bounds-part", has_text="Take a break")
    panel.locator("summary").click()
    panel.get_by_label("3 days").check()
    panel.get_by_role("button", name="Go on").click()
    expect(panel.get_by_role("heading", name="Stop playing until")).to_be_focused()
    stop = panel.get_by_role("button", name="Stop for 3 days")
    stop.click()
    expect(panel.get_by_role("alert")).to_have_text("Tick that you want this.")

    panel.get_by_label("I have understood").check()
    stop.click()

    expect(panel.get_by_role("status")).to_contain_text("You take a break until")
    expect(screen.bet).to_have_text("€0.00")
    screen.press("Escape")
    screen.place("banker", "5")
    screen.expect_notice("You are on a break from deposits and play.")
    screen.page.get_by_label("Leave").click()
    screen.expect_notice("You left the table")


def test_a_low_balance_is_shown_with_the_funding_options(house, open_screen):
    for _ in range(MAX_ROUNDS):  # until the last chip is lost: a tie returns it
        table = house.table("mini")
        screen = open_screen(table, token=house.seated(table, 1, "5.00"))
        screen.place("tie", "5")
        screen.act("deal")
        if house.settled(screen.table, 1)["outcome"] != "tie":
            break

    screen.expect_notice("under the table's minimum")
    screen.notice.get_by_role("button", name="Rebuy").click()
    screen.page.locator("#rebuy-amount").fill("50")
    screen.page.locator(".panel").get_by_role("button", name="Rebuy").click()
    expect(screen.balance).to_have_text("€50.00")
    expect(screen.notice.filter(has_text="minimum")).to_have_count(0)


def test_a_stake_under_the_minimum_is_named_with_it_and_offers_no_rebuy(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.place("banker", "1")
    screen.act("deal")

    screen.expect_notice("Bet at least €5.00 on each spot.")
    expect(screen.notice.get_by_role("button", name="Rebuy")).to_have_count(0)
    expect(screen.notice.get_by_role("button")).to_have_count(1)  # it can be closed
    screen.place("banker", "5")
    screen.act("deal")
    assert house.settled(screen.table, 1)["seats"][0]["result"]["staked"] == "6.00"
