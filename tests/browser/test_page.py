"""The table page in a real browser, against a real system: what a player sees, does, and never loses."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.house import PIN

pytestmark = pytest.mark.slow
SOON = 10_000
MANY = 60
"""Rounds within which a Banker win comes: the chance that none does is below 10^-15."""


def until_banker_wins(screen, house, *, deal):
    """Play rounds until Banker wins, and return that round."""
    for number in range(1, MANY):
        deal(number)
        round_ = house.settled(screen.table, number)
        screen.lies(round_)
        if round_["outcome"] == "banker":
            return round_
    raise AssertionError("Banker never won")


def test_two_players_at_one_table_play_a_whole_round_and_see_each_other(house, sees):
    table = house.table("atlantic_city", turn_seconds=60)
    tokens = house.company(table, 2, 4)
    ana = sees(table, token=tokens[0], reduced_motion="no-preference")
    ben = sees(table, token=tokens[1], dark=True)

    ana.place("banker", "25", "5")
    expect(ana.chips_on("banker")).to_have_text("30")
    expect(ana.bet).to_have_text("€30.00")
    expect(ben.chips_on("banker", seat=2)).to_have_text("30")
    ana.place("tie", "1")
    ana.act("undo")
    ana.act("deal")
    ben.place("player", "25")
    expect(ben.balance).to_have_text("€1,000.00")
    ben.act("deal")

    round_ = house.settled(table, 2)
    for screen in (ana, ben):
        screen.lies(round_)
        expect(screen.page.locator(".callout-words")).to_contain_text(round_["outcome"].title())
    returned = {seat["seat"]: seat["result"]["returned"] for seat in round_["seats"]}
    expect(ana.balance).to_have_text(f"€{970 + float(returned[2]):,.2f}", timeout=SOON)
    expect(ben.balance).to_have_text(f"€{975 + float(returned[4]):,.2f}", timeout=SOON)


def test_a_newcomer_sits_down_by_the_page_and_leaves_with_the_money(house, sees):
    table = house.table("mini")
    screen = sees(table)
    assert screen.page.url.endswith(f"#table={table}"), "the token has left the address"

    screen.page.get_by_role("button", name="Seat 1: free, sit down here").click()
    screen.page.get_by_label("Play money").check()
    screen.page.get_by_label("Bring to the table").fill("123,50")
    screen.page.get_by_role("button", name="Sit down", exact=True).click()
    expect(screen.balance).to_have_text("€123.50")
    screen.page.get_by_role("button", name="Leave").click()
    expect(screen.page.get_by_role("button", name="Seat 1: free, sit down here")).to_be_enabled()
    screen.see("You left the table")


def test_the_keyboard_alone_is_enough_and_zero_bets_again(house, sees):
    table = house.table("mini")
    screen = sees(table, 1)

    for key in ("2", "b", "p", "1", "t", "Backspace"):
        screen.press(key)
    expect(screen.chips_on("tie")).to_have_count(0)
    expect(screen.bet).to_have_text("€10.00")
    screen.page.locator("h1").click()
    screen.press("Enter")
    screen.lies(house.settled(table, 1))
    expect(screen.button("rebet")).to_be_enabled()

    screen.press("0")
    expect(screen.chips_on("banker")).to_have_text("5")
    expect(screen.chips_on("player")).to_have_text("5")
    screen.press("c")
    expect(screen.bet).to_have_text("€0.00")
    screen.press("r")
    screen.lies(house.settled(table, 2))
    screen.press("n")
    expect(screen.page.locator(".hands .card")).to_have_count(0)
    screen.press("?")
    expect(screen.page.locator(".panel kbd").first).to_be_visible()
    screen.press("Escape")
    expect(screen.page.locator(".panel")).to_be_hidden()


def test_keys_pressed_quickly_all_count_in_their_order_however_late_answers_come(house, sees):
    table = house.table("mini")
    screen = sees(table, 1, latency=150)  # at once: before the table itself has been seen

    for key in ("2", "b", "p", "1", "t", "Backspace", "3", "b", "t", "u", "1"):
        screen.press(key)

    expect(screen.chips_on("banker")).to_have_text("30")
    screen.answered()
    assert house.seat_of(table, 1)["placed"] == [
        {"spot": "player", "amount": "5.00"},
        {"spot": "banker", "amount": "30.00"},
    ]
    for key in ("c", "2", "t", "Enter", "Enter"):
        screen.press(key)
    first = house.settled(table, 1)
    assert [stake["amount"] for stake in first["seats"][0]["wager"]] == ["5.00"]
    screen.lies(first)
    for key in ("r", "r"):
        screen.press(key)
    screen.lies(house.settled(table, 2))
    assert house.get(f"/tables/{table}")["round"] is None, "pressed twice, bet once"


def test_no_wager_is_dealt_without_the_chip_that_was_refused_before_it(house, sees):
    table = house.table("mini")
    screen = sees(table, 1)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.line(latency=2000)
    for key in ("5", "t", "Enter"):
        screen.press(key)

    screen.see("over the table's maximum")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.line()
    screen.answered()
    assert house.seat_of(table, 1)["status"] == "deciding"
    screen.act("deal")
    screen.lies(house.settled(table, 1))


def test_a_right_click_takes_the_whole_wager_back(house, sees):
    screen = sees(house.table("mini"), 1)
    screen.place("banker", "25")
    screen.place("tie", "5")
    expect(screen.bet).to_have_text("€30.00")

    screen.spot("tie").click(button="right")

    expect(screen.bet).to_have_text("€0.00")
    expect(screen.balance).to_have_text("€1,000.00")


def test_chips_placed_while_the_line_is_down_arrive_when_it_is_back(house, sees):
    screen = sees(house.table("mini"), 1)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")

    screen.line(offline=True)
    screen.place("banker", "5")
    screen.see("Reconnecting")
    expect(screen.chips_on("banker")).to_have_text("30")
    screen.line()

    screen.answered()
    expect(screen.notice).to_have_count(0, timeout=SOON)
    expect(screen.chips_on("banker")).to_have_text("30")
    assert house.seat_of(screen.table, 1)["placed"] == [{"spot": "banker", "amount": "30.00"}]


def test_a_round_dealt_while_the_line_is_down_is_there_when_it_is_back(house, sees):
    table = house.table("atlantic_city", turn_seconds=60)
    ana, ben = (sees(table, token=token) for token in house.company(table, 1, 2))
    ana.place("banker", "25")
    ana.act("deal")
    expect(ana.page.locator("[data-you]")).to_contain_text("in play")

    ana.line(offline=True)
    ana.see("Reconnecting")
    ben.act("pass")
    round_ = house.settled(table, 2)
    ana.line()

    ana.lies(round_)
    returned = float(round_["seats"][0]["result"]["returned"])
    expect(ana.balance).to_have_text(f"€{975 + returned:,.2f}", timeout=SOON)
    expect(ana.notice.filter(has_text="Reconnecting")).to_have_count(0)


def test_a_page_loaded_again_finds_seat_chips_and_wager(house, sees):
    table = house.table("atlantic_city", turn_seconds=60)
    ana = sees(table, token=house.company(table, 1, 2)[0])
    ana.place("player", "25", "5")
    expect(ana.chips_on("player")).to_have_text("30")

    ana.page.reload()
    expect(ana.chips_on("player")).to_have_text("30", timeout=SOON)
    ana.act("deal")
    expect(ana.page.locator("[data-you]")).to_contain_text("in play")
    ana.page.reload()
    expect(ana.page.locator("[data-you]")).to_contain_text("in play", timeout=SOON)
    expect(ana.balance).to_have_text("€970.00")


def test_who_lets_the_time_run_out_sits_out_and_loses_nothing(house, sees):
    table = house.table("atlantic_city", turn_seconds=3)
    screen = sees(table, 1)
    screen.place("banker", "25")
    expect(screen.page.get_by_role("timer")).to_be_visible()

    expect(screen.chips_on("banker")).to_have_count(0, timeout=SOON)
    expect(screen.balance).to_have_text("€1,000.00")


def test_a_seat_that_another_took_first_is_said_in_plain_words(house, sees):
    table = house.table("mini")
    screen = sees(table)
    screen.page.get_by_role("button", name="Seat 1: free").click()
    screen.page.get_by_label("Play money").check()
    with screen.page.expect_response(lambda answer: answer.url.endswith("/seat") and answer.status == 409):
        house.seated(table, 1, "100.00")
        screen.page.get_by_role("button", name="Sit down", exact=True).click()

    screen.see("Another player has this seat")
    screen.see("Choose a free seat")


def test_atlantic_city_raises_a_stake_to_the_minimum_and_says_so(house, sees):
    table = house.table("atlantic_city", turn_seconds=60)
    screen = sees(table, 1)
    expect(screen.page.locator(".badges")).to_contain_text("raised")

    screen.place("player", "1")
    screen.act("deal")

    screen.see("Raised to the table's minimum: Player +€4.00")
    screen.lies(house.settled(table, 1))


def test_overview_rounds_the_commission_up_to_a_quarter_and_shows_it(house, sees):
    screen = sees(house.table("overview"), 1)
    expect(screen.page.locator(".badges")).to_contain_text("5% commission, rounded up to €0.25")
    screen.place("banker", "5", "1")

    round_ = until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    assert round_["seats"][0]["result"]["commission"] == "0.50"
    expect(screen.page.locator("#live")).to_contain_text("Commission €0.50")


def test_mini_takes_the_commission_exactly(house, sees):
    screen = sees(house.table("mini"), 1)
    expect(screen.page.locator(".badges")).to_contain_text("exact")
    screen.place("banker", "5", "1")

    until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    expect(screen.page.locator("#live")).to_contain_text("Commission €0.30")


def test_classic_takes_one_spot_in_a_round(house, sees):
    screen = sees(house.table("classic"), 1)
    expect(screen.spot("tie")).to_contain_text("9:1")
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")

    screen.place("tie", "5")

    screen.see("This table takes a bet on one spot in a round")
    expect(screen.chips_on("tie")).to_have_count(0)
    expect(screen.chips_on("banker")).to_have_text("25")


def test_the_big_table_marks_commission_beside_the_seat(house, sees):
    table = house.table("big_table", turn_seconds=60, caller=False)
    screen = sees(table, 6)
    screen.place("banker", "100")

    until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    expect(screen.page.locator("[data-you]")).to_contain_text("owes 5")
    expect(screen.page.locator("#live")).to_contain_text("Commission owed €5.00")


def test_the_seat_with_the_highest_bet_on_player_looks_at_the_cards_and_hands_them_back(house, sees):
    table = house.table("big_table", turn_seconds=60, look_seconds=60, hand_back_seconds=60)
    ana, ben = (sees(table, token=token) for token in house.company(table, 3, 9))
    ana.place("player", "100")
    ben.place("player", "25")
    ana.act("deal")
    ben.act("deal")

    caller = ana.page.get_by_role("region", name="The Caller")
    expect(caller).to_contain_text("The Player's cards are with you", timeout=SOON)
    expect(ben.page.get_by_role("region", name="The Caller")).to_contain_text("The Player's cards are with seat 3")
    expect(ben.page.get_by_role("button", name="Look")).to_be_hidden()
    caller.get_by_role("button", name="Look").click()
    expect(caller.locator(".card.shown")).to_have_count(2)
    seen = [card.get_attribute("aria-label") for card in caller.locator(".card").all()]
    expect(ben.page.locator(".caller")).to_contain_text("Seat 3 has looked")
    expect(ben.page.locator(".card.shown")).to_have_count(0)
    caller.get_by_role("button", name="Hand back").click()

    round_ = house.settled(table, 2)
    ana.lies(round_)
    ben.lies(round_)
    assert [card.get_attribute("aria-label") for card in ana.page.locator(".hand.player .card").all()][:2] == seen


def test_an_own_limit_is_set_with_the_pin_and_holds(house, sees):
    screen = sees(house.table("mini"), 1)
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


def test_limits_on_play_hold_at_once_and_a_higher_one_has_to_be_confirmed_later(house, sees):
    screen = sees(house.table("mini"), 1)
    panel = screen.open("limit")
    expect(panel.get_by_role("columnheader")).to_have_text(["Session", "24 hours", "7 days", "a month"])

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


def test_a_reality_check_comes_when_it_is_due_with_the_figures(house, sees):
    screen = sees(house.table("mini"), 1, clock=True)
    expect(screen.page.locator(".game[data-reminder]")).to_have_count(1)

    screen.page.clock.fast_forward("01:00:05")

    screen.see("You have been here for 0 minutes and played for 0. With real money: €0.00.")
    screen.notice.get_by_role("button", name="Limits").click()
    expect(screen.page.locator(".figures")).to_be_visible()
    screen.notice.get_by_role("button", name="Go on").click()
    expect(screen.notice.filter(has_text="You have been here")).to_have_count(0)


def test_who_takes_a_break_is_asked_twice_and_then_plays_no_more(house, sees):
    screen = sees(house.table("mini"), 1)
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
    screen.see("The player is excluded from deposits and play")
    screen.page.get_by_role("button", name="Leave").click()
    screen.see("You left the table")


def test_too_little_at_the_table_is_said_with_the_ways_out(house, sees):
    for _ in range(MANY):  # until the last chip is lost, which a tie would not do
        table = house.table("mini")
        screen = sees(table, token=house.seated(table, 1, "5.00"))
        screen.place("tie", "5")
        screen.act("deal")
        if house.settled(screen.table, 1)["outcome"] != "tie":
            break

    screen.see("under the table's minimum")
    screen.notice.get_by_role("button", name="Rebuy").click()
    screen.page.locator("#rebuy-amount").fill("50")
    screen.page.locator(".panel").get_by_role("button", name="Rebuy").click()
    expect(screen.balance).to_have_text("€50.00")
    expect(screen.notice.filter(has_text="minimum")).to_have_count(0)


def test_players_add_to_the_shuffle_and_check_the_round_afterwards(house, sees):
    table = house.table("mini")
    screen = sees(table, 1)
    panel = screen.open("fair")
    expect(panel.locator(".fair-now")).to_contain_text("Your browser drew")
    named = panel.locator("section", has_text="Shoe of round 1, next").locator(".hash").first.text_content()
    panel.get_by_label("Add something of your own").fill("lucky seven")
    panel.get_by_role("button", name="Add it").click()
    expect(panel.get_by_role("status")).to_have_text("It goes along with your next bet.")

    screen.place("banker", "5")
    screen.act("deal")
    first = house.settled(table, 1)
    screen.lies(first)
    assert first["contributions"] == [{"seat": 1, "contribution": b"lucky seven".hex()}]
    assert first["commitment"] == named, "shown before the first chip lay"
    panel.locator("summary", has_text="Shoe of round 1").click()
    expect(panel.locator(".facts")).to_contain_text([first["seed"]])
    screen.act("rebetDeal")
    second = house.settled(table, 2)
    assert len(bytes.fromhex(second["contributions"][0]["contribution"])) == 16, "drawn by the browser"

    with screen.page.expect_popup() as opened:
        screen.open("history").get_by_role("link", name="Check round 1").click()
    check = opened.value
    expect(check.get_by_role("heading", name="Check a round")).to_be_visible()
    expect(check.locator("#verify")).to_contain_text("Round 1, rules mini", timeout=SOON)
    expect(check.locator(".verify-verdict")).to_have_attribute("data-verdict", re.compile("verified|partly"))
    check.close()


def test_any_past_round_is_shown_again(house, sees):
    table = house.table("mini")
    screen = sees(table, 1)
    screen.place("banker", "5")
    screen.act("deal")
    first = house.settled(table, 1)
    screen.lies(first)
    screen.act("rebetDeal")
    screen.lies(house.settled(table, 2))

    screen.open("history").get_by_role("button", name="Replay round 1").click()

    screen.lies(first)
    expect(screen.page.locator(".message")).to_have_text("A round that was played before")
    screen.page.get_by_role("button", name="Back to the game").click()
    screen.lies(house.settled(table, 2))


def test_what_players_write_is_shown_as_text_and_can_be_reported(house, sees):
    table = house.table("atlantic_city", turn_seconds=600)
    ana, ben = (sees(table, token=token) for token in house.company(table, 1, 2))
    written = '<img src=x onerror="document.title=1"><b>hello</b>'
    panel = ana.open("chat")
    panel.get_by_label("Write to the table").fill(written)
    panel.get_by_role("button", name="Send").click()
    expect(panel.locator(".chat-line p")).to_have_text(written)

    heard = ben.page.locator('button[data-panel="chat"]')
    expect(heard).to_have_attribute("data-unread", "", timeout=SOON)
    panel = ben.open("chat")
    expect(panel.locator(".chat-line p")).to_have_text(written)
    expect(panel.locator(".chat-line").locator("img, b")).to_have_count(0)
    expect(ben.page).to_have_title("Baccarat")
    panel.get_by_role("button", name="Report what Seat 1 wrote").click()
    ben.see("A moderator will look at it")
    ben.page.get_by_role("button", name="Seat 1: Taken betting (Report this player)").click()
    panel.get_by_label("Something else").check()
    panel.get_by_role("button", name="Send the report").click()
    expect(panel.get_by_role("alert")).to_have_text("Say in a few words what happened.")
    panel.get_by_label("In your own words").fill("Reads my cards aloud")
    panel.get_by_role("button", name="Send the report").click()
    expect(panel).to_contain_text("Your report about seat 1 was sent.")
    panel.get_by_role("button", name="Back to the table").click()
    panel = ben.open("chat")
    panel.get_by_role("button", name="Close the chat").click()
    expect(panel.get_by_label("Write to the table")).to_be_hidden()
    panel.get_by_role("button", name="Open the chat again").click()
    expect(panel.get_by_label("Write to the table")).to_be_visible()


def test_statistics_hold_the_columns_the_totals_and_the_roads(house, sees):
    table = house.table("mini")
    screen = sees(table, 1)
    screen.place("banker", "5")
    screen.act("deal")
    outcome = house.settled(table, 1)["outcome"]
    panel = screen.open("stats")

    expect(panel.locator(".letter")).to_have_text({"banker": "B", "player": "P", "tie": "\u2013"}[outcome])
    expect(panel.locator(".sum", has_text="Hands").locator("dd")).to_have_text("1")
    expect(panel.locator(".road")).to_have_count(5)
    screen.press("Escape")
    screen.act("rebetDeal")
    screen.lies(house.settled(table, 2))
    expect(screen.open("stats").locator(".sum", has_text="Hands").locator("dd")).to_have_text("2")


def test_preferences_are_kept_and_animation_waits_for_the_next_entry(house, sees):
    screen = sees(house.table("mini"), 1)
    panel = screen.open("options")
    panel.get_by_label("Classic").check()
    panel.get_by_role("switch", name="Instant dealing").check()
    panel.get_by_role("switch", name="Animation").uncheck()
    expect(screen.page.locator("html")).to_have_attribute("data-style", "classic")

    screen.page.reload()

    panel = screen.open("options")
    expect(panel.get_by_label("Classic")).to_be_checked(timeout=SOON)
    expect(panel.get_by_role("switch", name="Instant dealing")).to_be_checked()
    expect(panel.get_by_role("switch", name="Animation")).not_to_be_checked()


def test_the_page_speaks_german_and_writes_numbers_as_germans_do(house, sees):
    screen = sees(house.table("mini"), 1, locale="de-DE")
    expect(screen.button("deal")).to_have_text("Geben")
    expect(screen.balance).to_have_text("1.000,00\u00a0€")
    screen.place("player", "1")
    screen.act("deal")
    screen.see("Der Einsatz liegt unter dem Minimum des Tisches.")


@pytest.mark.parametrize(
    ("form", "panels"),
    [
        ({}, ("stats", "chat", "history", "cash", "limit", "options", "help")),
        ({"phone": True, "dark": True}, ("options",)),
    ],
)
def test_nothing_keeps_anybody_out(house, sees, form, panels):
    screen = sees(house.table("atlantic_city", turn_seconds=600), 1, **form)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe = Axe()

    for panel in (None, *panels):
        if panel:
            screen.open(panel)
        found = axe.run(screen.page, context=".panel" if panel else None, options={"resultTypes": ["violations"]})
        assert found.violations_count == 0, (panel, found.generate_report())
        screen.press("Escape")


def test_the_session_taken_over_elsewhere_is_said(house, sees):
    table = house.table("mini")
    screen = sees(table, 1)
    balances = house.http.get("/me/balances", headers={"Authorization": f"Bearer {screen.token}"}).json()
    assert balances["items"]
    player = house.get(f"/tables/{table}")["seats"][0]["player"]

    house.post(f"/players/{player}/sessions", {})

    expect(screen.page.get_by_role("heading", name="Your session is over")).to_be_visible(timeout=SOON)
    expect(screen.page.get_by_role("alert").filter(has_text="You came in somewhere else")).to_be_visible()
