"""One meaning of each key and button, in every language and layout, after random clicks and whatever dies meanwhile."""

import random
import re

import pytest
from playwright.sync_api import expect

from casino.devstack.system import is_responding
from tests.processes import wait_until
from tests.support.whole_system import System
from tests.system.browser.screen import DESKTOP, PHONE, TIMEOUT

LANGUAGES = ("en-GB", "de-DE", "fr-FR", "es-ES", "pt-PT", "sv-SE", "ja-JP")
SIZES = {"desk": DESKTOP, "wide": {"width": 844, "height": 390}, "phone": PHONE}
LONG = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards"), 8_000) | {"ceremony": 0}
CLICKS = (
    '.chip-button[data-chip="5.00"]', '.chip-button[data-chip="25.00"]', 'button.spot.mine[data-spot="tie"]',
    'button.spot.mine[data-spot="player"]', '[data-act="undo"]', '[data-act="double"]', ".table-name", ".bet-amount",
)  # fmt: skip


HARMLESS = ('.chip-button[data-chip="1.00"]', '.chip-button[data-chip="100.00"]', ".bet-amount", ".message")


def lying(house, screen):
    """Return the chips that lie on the player's spots, once the page and the service agree on them."""

    def shown() -> bool:
        placed = house.seat_of(screen.table, 1)["placed"]
        return screen.bet.inner_text() == f"€{sum(float(each['amount']) for each in placed):,.2f}"

    screen.page.wait_for_timeout(300)
    assert wait_until(shown)
    return house.seat_of(screen.table, 1)["placed"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(6))
def test_enter_deals_what_lies_there_after_random_clicks(house, open_screen, size, seed):
    table = house.table("mini")
    screen = open_screen(table, 1, viewport=SIZES[size])
    screen.place("banker", "25")
    choice = random.Random(seed)
    for _ in range(choice.randrange(3, 9)):
        screen.page.wait_for_timeout(200)
        target = screen.page.locator(choice.choice(CLICKS))
        if target.is_visible() and target.is_enabled():
            target.click()
    screen.place("banker", "5")
    screen.page.locator(choice.choice(HARMLESS)).click()
    placed = lying(house, screen)

    screen.press("Enter")

    assert house.settled(table, 1)["seats"][0]["stakes"] == placed
    screen.answered()
    screen.press("Enter")
    screen.answered()
    assert house.get(f"/tables/{table}")["round"] is None, "nothing was placed or dealt again"


@pytest.mark.parametrize("locale", LANGUAGES)
def test_keys_mean_the_same_in_every_language_and_are_printed_in_the_help(house, open_screen, locale):
    table = house.table("mini")
    screen = open_screen(table, 1, locale=locale)
    for key in ("3", "b", "2", "t", "d", "u"):
        screen.press(key)
    wanted = [{"spot": "banker", "amount": "25.00"}, {"spot": "tie", "amount": "5.00"}]
    assert wait_until(lambda: house.seat_of(table, 1)["placed"] == wanted, seconds=20)
    screen.press("?")
    expect(screen.page.locator(".keys kbd").first).to_be_visible()
    printed = screen.page.locator(".keys kbd").all_text_contents()
    assert {"0", "1\N{EN DASH}4", "P", "T", "B", "C", "U", "D", "R", "N", "X", "Enter", "?", "Esc"} <= set(printed)
    for button in screen.page.locator("[aria-keyshortcuts]").all():
        key = button.get_attribute("aria-keyshortcuts")
        assert key.upper() in {*map(str.upper, printed), *map(str, range(1, 5))}, key
    screen.press("Escape")
    screen.press("Enter")
    house.settled(table, 1)


@pytest.mark.parametrize(
    ("presses", "spot"),
    [([("é", "Digit2"), ("b", "KeyB")], "banker"), ([("и", "KeyB")], "banker"), ([("Process", "KeyT")], "tie")],
    ids=["French digits", "Cyrillic letters", "an input method"],
)
def test_keys_work_on_other_layouts(house, open_screen, presses, spot):
    screen = open_screen(house.table("mini"), 1)
    for key, code in presses:
        screen.page.evaluate(
            "([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))",
            [key, code],
        )
    expect(screen.chips_on(spot)).to_have_text("5")


def test_a_long_press_places_nothing_and_clears_nothing(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1, phone=True)
    spot = screen.spot("banker")
    spot.tap()
    expect(screen.chips_on("banker")).to_have_text("5")
    box = spot.bounding_box()
    session = screen.page.context.new_cdp_session(screen.page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    screen.page.wait_for_timeout(900)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.page.wait_for_timeout(300)
    screen.answered()
    assert house.seat_of(table, 1)["placed"] == [{"spot": "banker", "amount": "5.00"}]
    spot.tap()
    expect(screen.chips_on("banker")).to_have_text("10")


def test_tab_walks_to_every_control_and_space_presses_it(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.press("2")
    screen.press("b")
    expect(screen.chips_on("banker")).to_have_text("5")
    done = []
    for _ in range(80):
        screen.press("Tab")
        act = screen.page.evaluate("document.activeElement.dataset.act || document.activeElement.dataset.spot")
        if act in {"double", "undo", "tie"} and act not in done:
            done.append(act)
            screen.press("Space")
            screen.page.wait_for_timeout(300)
        if len(done) == 3:
            break
    assert set(done) == {"double", "undo", "tie"}
    placed = lying(house, screen)
    screen.press("Enter")
    assert house.settled(table, 1)["seats"][0]["stakes"] == placed


def test_enter_confirms_the_dialog_in_front(house, open_screen):
    screen = open_screen(house.table("mini"))
    screen.page.get_by_role("button", name="Seat 1: free, sit down here").click()
    expect(screen.page.locator(".panel h2")).to_be_focused()
    screen.page.get_by_label("Play money").check()
    screen.page.locator(".panel h2").focus()
    screen.press("Enter")
    expect(screen.spot("banker")).to_be_visible(timeout=TIMEOUT)


def test_a_stopped_table_says_so_and_nothing_else(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, 1)
    house.post(
        "/stops", {"scope": "table", "subject": table, "reason": "A test", "player_message": "We are back soon."}
    )
    expect(screen.page.locator(".message")).to_have_text("Play at this table is stopped.", timeout=TIMEOUT)
    expect(screen.button("newGame")).to_be_disabled()
    expect(screen.spot("banker")).to_have_attribute("aria-disabled", "true")
    expect(screen.notice.filter(has_text="Choose a chip")).to_have_count(0)


def test_a_deal_sent_when_the_service_dies_is_known_as_unknown_until_it_is_back(
    house, open_screen, shared_system: System
):
    table = house.table("mini")
    screen = open_screen(table, 1)
    screen.usual = False
    screen.place("banker", "100")
    screen.answered()
    message = screen.page.locator(".message")
    shared_system.kill("web")

    screen.act("deal")

    expect(message).to_have_text("Not known yet whether your bet is in play", timeout=TIMEOUT)
    expect(screen.page.locator(".balance-game .balance-label")).to_have_text(
        re.compile(r"last known at \d\d:\d\d:\d\d")
    )
    expect(screen.button("deal")).to_be_disabled()
    shared_system.stack.child("web").start()
    assert wait_until(lambda: is_responding(port=int(house.host.rpartition(":")[2]), path="/livez"))
    assert house.settled(table, 1)["seats"][0]["stakes"] == [{"spot": "banker", "amount": "100.00"}]
    expect(message).to_have_text("New game: place your bet", timeout=60_000)
    screen.errors.clear()


def test_the_page_confirms_what_was_placed_in_this_round_signed_and_no_rebet(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=12, auto_confirm=True)
    screen = open_screen(table, 1)
    number = house.number(table)
    with screen.page.expect_request("**/deal") as sent:
        screen.place("banker", "25")
        expect(screen.page.locator(".message")).to_have_text("Your bet is confirmed just before betting closes")
    assert sent.value.post_data_json["signature"]["public_key"]
    assert house.settled(table, number)["seats"][0]["stakes"] == [{"spot": "banker", "amount": "25.00"}]

    screen.page.wait_for_timeout(14_000)
    assert house.get(f"/tables/{table}")["last_round"]["number"] == number, "nobody confirmed the round after it"


def test_a_page_that_is_gone_confirms_nothing(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=5, auto_confirm=True)
    screen = open_screen(table, 1)
    number = house.number(table)
    screen.place("banker", "25")
    screen.answered()
    screen.page.goto("about:blank")
    assert wait_until(lambda: (house.get(f"/tables/{table}")["round"] or {"number": number + 1})["number"] > number)
    assert house.get(f"/tables/{table}")["last_round"] is None


def test_where_nobody_may_hurry_there_is_neither_skip_nor_instant(house, open_screen):
    table = house.table("mini", show_milliseconds=LONG, may_hurry=False)
    screen = open_screen(table, 1, reduced_motion="no-preference")
    expect(screen.page.locator('[data-switch="instant"]')).to_be_hidden()
    screen.place("banker", "25")
    screen.act("deal")
    expect(screen.page.locator('.game[data-step="dealing"]')).to_be_visible(timeout=TIMEOUT)
    screen.press("x")
    screen.page.locator(".felt").click(position={"x": 10, "y": 10})
    expect(screen.page.locator('.game[data-step="dealing"]')).to_be_visible()
    expect(screen.page.locator(".message")).to_have_text("No more bets")
    expect(screen.spot("tie")).to_have_attribute("aria-disabled", "true")
    expect(screen.page.locator(".message")).to_have_text("New game: place your bet", timeout=TIMEOUT)
    screen.spot("tie").click()
    expect(screen.chips_on("tie")).to_have_text("25")
    screen.answered()
