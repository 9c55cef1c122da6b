"""The table page plays by the rules of each preset: minimums, commission, spots, who looks at the cards."""

from playwright.sync_api import expect

from tests.system.browser.screen import TIMEOUT

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

    screen.expect_notice("This table takes bets on one spot each round")
    expect(screen.chips_on("tie")).to_have_count(0)
    expect(screen.chips_on("banker")).to_have_text("25")


def test_the_big_table_sets_commission_aside_and_says_so(house, open_screen):
    table = house.table("big_table", turn_seconds=60, caller=False)
    screen = open_screen(table, 6)
    screen.place("banker", "100")

    until_banker_wins(screen, house, deal=lambda n: screen.act("deal" if n == 1 else "rebetDeal"))

    expect(screen.page.locator(".plate[data-aside]")).to_have_text("6You5")
    expect(screen.page.get_by_role("img", name="Seat 6: set aside for commission 5")).to_be_visible()
    expect(screen.page.locator(".balance-aside")).to_have_text("Set aside for commission€5.00")
    expect(screen.page.locator("#live")).to_contain_text("Commission €5.00, set aside")
    words = "Set aside for commission €5.00, taken at the end of the shoe or when you leave"
    expect(screen.open("cash")).to_contain_text(words)


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
