"""The table page in a real browser, against a real system: what a player sees, does and never loses."""

import re

from playwright.sync_api import Page, expect

from tests.system.browser.house import House
from tests.system.browser.screen import TIMEOUT

LOADED = """() => Object.fromEntries(["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .filter(({ name }) => !/[.]wav$|[/]verify[/]/.test(name))
    .map(({ name, decodedBodySize }) => [name, decodedBodySize]))"""


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


def test_enter_deals_once_what_lies_on_the_spot_that_was_clicked(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1, reduced_motion="no-preference")
    screen.place("banker", "25")
    expect(screen.spot("banker")).to_be_focused()

    screen.page.keyboard.down("Enter")
    screen.page.keyboard.down("Enter")  # held
    screen.page.keyboard.up("Enter")
    screen.press("Enter")

    round_ = house.settled(table, 1)
    assert round_["seats"][0]["stakes"] == [{"spot": "banker", "amount": "25.00"}]
    expect(screen.page.locator(".callout:not([hidden]) .callout-net")).to_have_text(re.compile(r"\d"), timeout=TIMEOUT)
    screen.answered()
    assert house.get(f"/tables/{table}")["round"] is None, "no press placed a chip, or hid the call"


def test_enter_pressed_offline_deals_once_after_reconnecting(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.place("banker", "100")
    screen.answered()
    screen.set_network(offline=True)
    screen.expect_notice("Reconnecting")

    screen.press("Enter")
    screen.press("Enter")
    expect(screen.bet).to_have_text("€100.00")
    screen.set_network()

    round_ = house.settled(table, 1)
    assert round_["seats"][0]["stakes"] == [{"spot": "banker", "amount": "100.00"}]
    screen.expect_round(round_)
    screen.answered()
    assert house.get(f"/tables/{table}")["round"] is None


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
    assert [stake["amount"] for stake in first["seats"][0]["stakes"]] == ["5.00"]
    screen.expect_round(first)
    for key in ("r", "r"):
        screen.press(key)
    screen.expect_round(house.settled(table, 2))
    assert house.get(f"/tables/{table}")["round"] is None, "two presses are one bet"


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


def test_help_tells_the_return_of_the_stake_that_is_set(house, open_screen):
    screen = open_screen(house.table("overview"), 1)
    panel = screen.open("help")
    banker = panel.locator('tbody[data-spot="banker"] .return')
    expect(banker).to_have_text("98.94% at €5.00")

    screen.place("banker", "5", "1")

    expect(banker).to_have_text("97.41% at €6.00")
    expect(panel.locator('tbody[data-spot="player"] .return')).to_have_text("98.76% at €5.00")
    by_stake = panel.get_by_role("table", name="Return by stake, as commission is rounded")
    expect(by_stake.get_by_role("row", name="€6.00 97.41%")).to_be_visible()
    expect(by_stake.get_by_role("row", name="without rounding 98.94%")).to_be_visible()


def test_a_first_visit_to_a_table_in_english_loads_at_most_600_kb(house: House, page: Page) -> None:
    table = house.table("atlantic_city", turn_seconds=600)
    page.goto(f"{house.base_url}/play/#token={house.seated(table, 1)}&table={table}")
    expect(page.locator("button.spot.mine")).to_have_count(3, timeout=TIMEOUT)
    expect(page.locator(".score-status")).not_to_have_text("One moment …")

    loaded: dict[str, int] = page.evaluate(LOADED)

    assert len(loaded) > 60
    assert sum(loaded.values()) <= 600 * 1024, sorted(loaded.items(), key=lambda item: item[1])
