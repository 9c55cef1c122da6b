"""The table page in a real browser, against a real system: what a player sees, does and never loses."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.house import PIN
from tests.processes import wait_until

pytestmark = pytest.mark.slow
TIMEOUT = 10_000
MAX_ROUNDS = 60
"""Rounds within which Banker wins; the probability that it does not is below 10^-15."""


def until_banker_wins(screen, house, *, deal):
    """Play rounds until Banker wins, and return that round."""
    for number in range(1, MAX_ROUNDS):
        deal(number)
        round_ = house.settled(screen.table, number)
        screen.expect_round(round_)
        if round_["outcome"] == "banker":
            return round_
    raise AssertionError("Banker never won")


def test_two_players_at_a_table_play_a_round_and_see_each_other(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=60)
    tokens = house.company(table, 2, 4)
    ana = open_screen(table, token=tokens[0], reduced_motion="no-preference")
    ben = open_screen(table, token=tokens[1], dark=True)

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
        screen.expect_round(round_)
        expect(screen.page.locator(".callout-words")).to_contain_text(round_["outcome"].title())
    returned = {seat["seat"]: seat["result"]["returned"] for seat in round_["seats"]}
    expect(ana.balance).to_have_text(f"€{970 + float(returned[2]):,.2f}", timeout=TIMEOUT)
    expect(ben.balance).to_have_text(f"€{975 + float(returned[4]):,.2f}", timeout=TIMEOUT)


def test_a_new_player_sits_down_and_leaves_with_the_money(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table)
    assert screen.page.url.endswith(f"#table={table}"), "the token has left the address"

    screen.page.get_by_role("button", name="Seat 1: free, sit down here").click()
    screen.page.get_by_label("Play money").check()
    screen.page.get_by_label("Bring to the table").fill("123,50")
    screen.page.get_by_role("button", name="Sit down", exact=True).click()
    expect(screen.balance).to_have_text("€123.50")
    screen.page.get_by_role("button", name="Leave").click()
    expect(screen.page.get_by_role("button", name="Seat 1: free, sit down here")).to_be_enabled()
    screen.expect_notice("You left the table")


def test_the_keyboard_is_enough_to_play_and_zero_rebets(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)

    for key in ("2", "b", "p", "1", "t", "Backspace"):
        screen.press(key)
    expect(screen.chips_on("tie")).to_have_count(0)
    expect(screen.bet).to_have_text("€10.00")
    screen.page.locator("h1").click()
    screen.press("Enter")
    screen.expect_round(house.settled(table, 1))
    expect(screen.button("rebet")).to_be_enabled()

    screen.press("0")
    expect(screen.chips_on("banker")).to_have_text("5")
    expect(screen.chips_on("player")).to_have_text("5")
    screen.press("c")
    expect(screen.bet).to_have_text("€0.00")
    screen.press("r")
    screen.expect_round(house.settled(table, 2))
    screen.press("n")
    expect(screen.page.locator(".hands .card")).to_have_count(0)
    screen.press("?")
    expect(screen.page.locator(".panel kbd").first).to_be_visible()
    screen.press("Escape")
    expect(screen.page.locator(".panel")).to_be_hidden()


def test_keys_are_handled_in_order_even_with_slow_responses(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1, latency=150)  # the first keys come before the table is loaded

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
    screen.expect_round(first)
    for key in ("r", "r"):
        screen.press(key)
    screen.expect_round(house.settled(table, 2))
    assert house.get(f"/tables/{table}")["round"] is None, "two presses are one bet"


def test_a_deal_is_dropped_when_a_chip_before_it_is_refused(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.set_network(latency=2000)
    for key in ("4", "t", "t", "t", "t"):
        screen.press(key)
    screen.act("deal")

    screen.expect_notice("over the table's maximum")
    expect(screen.chips_on("banker")).to_have_text("25")
    screen.set_network()
    screen.answered()
    assert house.seat_of(table, 1)["status"] == "deciding"
    screen.act("deal")
    screen.expect_round(house.settled(table, 1))


def test_a_right_click_clears_the_bet(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.place("banker", "25")
    screen.place("tie", "5")
    expect(screen.bet).to_have_text("€30.00")

    screen.spot("tie").click(button="right")

    expect(screen.bet).to_have_text("€0.00")
    expect(screen.balance).to_have_text("€1,000.00")


def test_chips_placed_offline_arrive_after_reconnecting(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")

    screen.set_network(offline=True)
    screen.place("banker", "5")
    screen.expect_notice("Reconnecting")
    expect(screen.chips_on("banker")).to_have_text("30")
    screen.set_network()

    screen.answered()
    expect(screen.notice).to_have_count(0, timeout=TIMEOUT)
    expect(screen.chips_on("banker")).to_have_text("30")
    assert house.seat_of(screen.table, 1)["placed"] == [{"spot": "banker", "amount": "30.00"}]


def test_a_page_left_open_over_a_release_offers_the_new_one(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    page = screen.page

    def reconnect():
        screen.set_network(offline=True)
        screen.expect_notice("Reconnecting")
        with page.expect_response("**/play/", timeout=TIMEOUT):
            screen.set_network()

    def release(route):
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("js/main.", "js/main.released."))

    reconnect()
    expect(screen.notice).to_have_count(0, timeout=TIMEOUT)
    page.route("**/play/", release)
    reconnect()
    screen.expect_notice("new version of this page")
    page.unroute("**/play/")
    page.get_by_role("button", name="Load it").click()

    expect(screen.spot("banker")).to_be_enabled(timeout=TIMEOUT)
    expect(screen.notice).to_have_count(0)


def test_a_round_dealt_while_offline_is_shown_after_reconnecting(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=60)
    ana, ben = (open_screen(table, token=token) for token in house.company(table, 1, 2))
    ana.place("banker", "25")
    ana.act("deal")
    expect(ana.page.locator("[data-you]")).to_contain_text("in play")

    ana.set_network(offline=True)
    ana.expect_notice("Reconnecting")
    ben.act("pass")
    round_ = house.settled(table, 2)
    ana.set_network()

    ana.expect_round(round_)
    returned = float(round_["seats"][0]["result"]["returned"])
    expect(ana.balance).to_have_text(f"€{975 + returned:,.2f}", timeout=TIMEOUT)
    expect(ana.notice.filter(has_text="Reconnecting")).to_have_count(0)


def test_a_reloaded_page_shows_seat_chips_and_wager(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=60)
    ana = open_screen(table, token=house.company(table, 1, 2)[0])
    ana.place("player", "25", "5")
    expect(ana.chips_on("player")).to_have_text("30")

    ana.page.reload()
    expect(ana.chips_on("player")).to_have_text("30", timeout=TIMEOUT)
    ana.act("deal")
    expect(ana.page.locator("[data-you]")).to_contain_text("in play")
    ana.page.reload()
    expect(ana.page.locator("[data-you]")).to_contain_text("in play", timeout=TIMEOUT)
    expect(ana.balance).to_have_text("€970.00")


def test_a_player_whose_turn_times_out_loses_nothing(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=3)
    screen = open_screen(table, 1)
    screen.place("banker", "25")
    expect(screen.page.get_by_role("timer")).to_be_visible()

    expect(screen.chips_on("banker")).to_have_count(0, timeout=TIMEOUT)
    expect(screen.balance).to_have_text("€1,000.00")


def test_a_seat_taken_by_another_player_is_explained(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table)
    screen.page.get_by_role("button", name="Seat 1: free").click()
    screen.page.get_by_label("Play money").check()
    with screen.page.expect_response(lambda answer: answer.url.endswith("/seat") and answer.status == 409):
        house.seated(table, 1, "100.00")
        screen.page.get_by_role("button", name="Sit down", exact=True).click()

    screen.expect_notice("Another player has this seat")
    screen.expect_notice("Choose a free seat")


def test_atlantic_city_raises_a_stake_to_the_minimum_with_a_notice(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=60)
    screen = open_screen(table, 1)
    expect(screen.page.locator(".badges")).to_contain_text("raised")

    screen.place("player", "1")
    screen.act("deal")

    screen.expect_notice("Raised to the table's minimum: Player +€4.00")
    screen.expect_round(house.settled(table, 1))


def test_overview_rounds_the_commission_up_to_a_quarter_and_shows_it(house, open_screen):
    screen = open_screen(house.table("overview"), 1)
    expect(screen.page.locator(".badges")).to_contain_text("5% commission, rounded up to €0.25")
    screen.place("banker", "5", "1")

    round_ = until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    assert round_["seats"][0]["result"]["commission"] == "0.50"
    expect(screen.page.locator("#live")).to_contain_text("Commission €0.50")


def test_mini_takes_the_commission_exactly(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    expect(screen.page.locator(".badges")).to_contain_text("exact")
    screen.place("banker", "5", "1")

    until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    expect(screen.page.locator("#live")).to_contain_text("Commission €0.30")


def test_classic_accepts_one_spot_in_a_round(house, open_screen):
    screen = open_screen(house.table("classic"), 1)
    expect(screen.spot("tie")).to_contain_text("9:1")
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")

    screen.place("tie", "5")

    screen.expect_notice("This table accepts bets on one spot per round")
    expect(screen.chips_on("tie")).to_have_count(0)
    expect(screen.chips_on("banker")).to_have_text("25")


def test_the_big_table_marks_commission_beside_the_seat(house, open_screen):
    table = house.table("big_table", turn_seconds=60, caller=False)
    screen = open_screen(table, 6)
    screen.place("banker", "100")

    until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    expect(screen.page.locator("[data-you]")).to_contain_text("owes 5")
    expect(screen.page.locator(".owed").get_by_role("img", name="Seat 6: owes 5")).to_be_visible()
    expect(screen.page.locator("#live")).to_contain_text("Commission owed €5.00")


def test_the_seat_with_the_highest_bet_on_player_looks_at_the_cards_and_hands_them_back(house, open_screen):
    table = house.table("big_table", turn_seconds=60, look_seconds=60, hand_back_seconds=60)
    ana, ben = (open_screen(table, token=token) for token in house.company(table, 3, 9))
    ana.place("player", "100")
    ben.place("player", "25")
    ana.act("deal")
    ben.act("deal")

    caller = ana.page.get_by_role("region", name="The Caller")
    expect(caller).to_contain_text("The Player's cards are with you", timeout=TIMEOUT)
    expect(ben.page.get_by_role("region", name="The Caller")).to_contain_text("The Player's cards are with seat 3")
    expect(ben.page.get_by_role("button", name="Look")).to_be_hidden()
    caller.get_by_role("button", name="Look").click()
    cards = caller.locator(".card")
    expect(cards.first).to_be_focused()
    for _ in range(8):
        ana.press("ArrowUp")
    expect(cards.first).to_have_attribute("data-edge", "bottom")
    expect(caller.locator(".card.shown")).to_have_count(0)
    ana.press("Enter")
    expect(caller.locator(".card.shown")).to_have_count(1)
    drag_up(ana.page, cards.last, share=0.4)
    expect(caller.locator(".card.shown"), "a card let go too early falls back").to_have_count(1)
    drag_up(ana.page, cards.last, share=0.8)
    expect(caller.locator(".card.shown")).to_have_count(2)
    peeked = [card.get_attribute("aria-label") for card in cards.all()]
    expect(ben.page.locator(".caller:not(.last-card)")).to_contain_text("Seat 3 is looking")
    expect(ben.page.locator(".card.shown")).to_have_count(0)
    caller.get_by_role("button", name="Hand back").click()

    round_ = house.settled(table, 2)
    ana.expect_round(round_)
    ben.expect_round(round_)
    assert [card.get_attribute("aria-label") for card in ana.page.locator(".hand.player .card").all()][:2] == peeked


def drag_up(page, card, share):
    """Drag a card's lower edge upwards by a share of its height, and let it go."""
    box = card.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 4
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - share * box["height"], steps=6)
    page.mouse.up()


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
    screen.expect_notice("The player is excluded from deposits and play")
    screen.page.get_by_role("button", name="Leave").click()
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


def test_players_contribute_to_the_shuffle_and_verify_the_round_afterwards(stack, house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    panel = screen.open("fair")
    expect(panel.locator(".fair-now")).to_contain_text("Your browser drew")
    commitment = panel.locator("section", has_text="Shoe of round 2, next").locator(".hash").first.text_content()
    panel.get_by_label("Add something of your own").fill("lucky seven")
    panel.get_by_role("button", name="Add it").click()
    expect(panel.get_by_role("status")).to_have_text("Added. The last one counts.")

    screen.place("banker", "5")
    screen.act("deal")
    first = house.settled(table, 1)
    screen.expect_round(first)
    assert first["contributions"] == [], "its cut was closed before"
    panel.locator("summary", has_text="Shoe of round 1").click()
    expect(panel.locator(".facts")).to_contain_text([first["seed"]])
    screen.act("rebetDeal")
    second = house.settled(table, 2)
    (own,) = second["contributions"]
    assert (own["seat"], own["contribution"]) == (1, b"lucky seven".hex())
    assert own["public_key"].startswith("01"), "signed by the page"
    assert second["commitment"] == commitment, "published before the first bet"
    screen.act("rebetDeal")
    third = house.settled(table, 3)
    assert len(bytes.fromhex(third["contributions"][0]["contribution"])) == 16, "random bytes drawn by the browser"

    stack.manage("checkpoint")
    with screen.page.expect_popup() as opened:
        screen.open("history").get_by_role("link", name="Check round 1").click()
    check = opened.value
    expect(check.get_by_role("heading", name="Check a round")).to_be_visible()
    expect(check.locator("#verify")).to_contain_text("Round 1, rules mini", timeout=TIMEOUT)
    expect(check.locator(".verify-verdict")).to_have_attribute("data-verdict", "verified")
    check.close()


def test_a_past_round_is_replayed(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "5")
    screen.act("deal")
    first = house.settled(table, 1)
    screen.expect_round(first)
    screen.act("rebetDeal")
    screen.expect_round(house.settled(table, 2))

    screen.open("history").get_by_role("button", name="Replay round 1").click()

    screen.expect_round(first)
    expect(screen.page.locator(".message")).to_have_text("A round that was played before")
    screen.page.get_by_role("button", name="Back to the game").click()
    screen.expect_round(house.settled(table, 2))


def test_chat_messages_are_shown_as_text_and_can_be_reported(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=600)
    narrow = {"viewport": {"width": 1100, "height": 800}}
    ana, ben = (open_screen(table, token=token, **narrow) for token in house.company(table, 1, 2))
    text = '<img src=x onerror="document.title=1"><b>hello</b>'
    panel = ana.open("chat")
    panel.get_by_label("Write to the table").fill(text)
    panel.get_by_role("button", name="Send").click()
    expect(panel.locator(".chat-line p")).to_have_text(text)

    button = ben.page.locator('button[data-panel="chat"]')
    expect(button).to_have_attribute("data-unread", "", timeout=TIMEOUT)
    panel = ben.open("chat")
    expect(panel.locator(".chat-line p")).to_have_text(text)
    expect(panel.locator(".chat-line").locator("img, b")).to_have_count(0)
    expect(ben.page).to_have_title("Baccarat")
    panel.get_by_role("button", name="Report what Seat 1 wrote").click()
    ben.expect_notice("A moderator will look at it")
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


def test_statistics_show_columns_totals_and_roads(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "5")
    screen.act("deal")
    outcome = house.settled(table, 1)["outcome"]
    panel = screen.open("stats")

    expect(panel.locator(".letter")).to_have_text({"banker": "B", "player": "P", "tie": "\u2013"}[outcome])
    expect(panel.locator(".score-sum.hands dd")).to_have_text("1")
    expect(panel.locator(".road")).to_have_count(5)
    screen.press("Escape")
    screen.act("rebetDeal")
    screen.expect_round(house.settled(table, 2))
    expect(screen.open("stats").locator(".score-sum.hands dd")).to_have_text("2")


def test_preferences_are_stored_and_animation_changes_at_the_next_entry(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    panel = screen.open("options")
    panel.get_by_label("Classic").check()
    panel.get_by_role("switch", name="Instant dealing").check()
    panel.get_by_role("switch", name="Animation").uncheck()
    root = screen.page.locator("html")
    expect(root).to_have_attribute("data-style", "classic")
    expect(root).to_have_attribute("data-animated", "true")

    screen.page.locator(".to-lobby").click()
    screen.page.go_back()

    expect(screen.page.locator(".board")).to_be_visible(timeout=TIMEOUT)
    expect(root).to_have_attribute("data-animated", "false")
    panel = screen.open("options")
    expect(panel.get_by_label("Classic")).to_be_checked(timeout=TIMEOUT)
    expect(panel.get_by_role("switch", name="Instant dealing")).to_be_checked()
    expect(panel.get_by_role("switch", name="Animation")).not_to_be_checked()


def test_a_first_bet_is_explained_in_three_steps_once(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.page.evaluate("localStorage.removeItem('casino.local')")
    screen.page.reload()

    screen.expect_notice("step 1 of 3: choose a chip")
    screen.choose("5")
    screen.expect_notice("Step 2 of 3: put it on Player, Tie or Banker")
    screen.spot("banker").click()
    screen.expect_notice("Step 3 of 3: press Deal")
    screen.act("deal")
    house.settled(table, 1)
    screen.act("rebet")
    expect(screen.chips_on("banker")).to_have_text("5")

    expect(screen.notice.filter(has_text="of 3")).to_have_count(0)


def test_sounds_wait_for_a_gesture_and_are_muted_in_the_header_and_stay_so(house, open_screen):
    screen = open_screen(house.table("mini"), 1)
    screen.page.evaluate(
        "() => { window.played = 0; const start = AudioBufferSourceNode.prototype.start;"
        " AudioBufferSourceNode.prototype.start = function () { window.played += 1; start.call(this); } }"
    )
    assert screen.page.evaluate("window.played") == 0

    screen.place("banker", "5")
    assert wait_until(lambda: screen.page.evaluate("window.played") > 0)
    screen.answered()
    mute = screen.page.locator('[data-switch="sound"]')
    mute.click()
    expect(mute).to_have_attribute("aria-pressed", "false")
    played = screen.page.evaluate("window.played")
    screen.place("banker", "5")
    expect(screen.chips_on("banker")).to_have_text("10")
    assert screen.page.evaluate("window.played") == played

    screen.page.reload()
    expect(mute).to_have_attribute("aria-pressed", "false", timeout=TIMEOUT)


def test_the_page_is_translated_into_german_with_german_number_formats(house, open_screen):
    screen = open_screen(house.table("mini"), 1, locale="de-DE")
    expect(screen.button("deal")).to_have_text("Geben")
    expect(screen.balance).to_have_text("1.000,00\u00a0€")
    screen.place("player", "1")
    screen.act("deal")
    screen.expect_notice("Der Einsatz liegt unter dem Minimum des Tisches.")


@pytest.mark.parametrize(
    ("form", "panels"),
    [
        ({}, ("stats", "history", "cash", "limit", "options", "help")),
        ({"phone": True, "dark": True}, ("options",)),
        ({"viewport": {"width": 640, "height": 400}}, ()),
    ],
)
def test_the_page_has_no_accessibility_violations(house, open_screen, form, panels):
    screen = open_screen(house.table("atlantic_city", turn_seconds=600), 1, **form)
    screen.place("banker", "25")
    expect(screen.chips_on("banker")).to_have_text("25")
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    axe = Axe()

    for panel in (None, *panels):
        if panel:
            screen.open(panel)
        result = axe.run(screen.page, context=".panel" if panel else None, options={"resultTypes": ["violations"]})
        assert result.violations_count == 0, (panel, result.generate_report())
        screen.press("Escape")


def test_a_session_taken_over_elsewhere_is_explained(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    balances = house.http.get("/me/balances", headers={"Authorization": f"Bearer {screen.token}"}).json()
    assert balances["items"]
    player = house.get(f"/tables/{table}")["seats"][0]["player"]

    house.post(f"/players/{player}/sessions", {})

    expect(screen.page.get_by_role("heading", name="Your session is over")).to_be_visible(timeout=TIMEOUT)
    expect(screen.page.get_by_role("alert").filter(has_text="You came in somewhere else")).to_be_visible()
