"""Squeezing: the Caller's cards, and by choice the last card of a round, by mouse, touch and keyboard."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.nightly.browser.layout import SIZES, faults, resize
from tests.system.browser.screen import Screen

TIMEOUT = 20_000
SHOW = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony"), 4_000)
TOUCH = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
MOUSE = {"viewport": {"width": 1280, "height": 820}, "reduced_motion": "no-preference"}
KEYS = {"viewport": {"width": 1024, "height": 768}}


def drag_by_mouse(page: Page, card: Locator, share: float) -> None:
    """Drag a card's lower edge upwards by a share of its height, and let it go."""
    x, y, height = lower_edge(card)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - share * height, steps=6)
    page.mouse.up()


def drag_by_touch(page: Page, card: Locator, share: float) -> None:
    """Drag a card's lower edge upwards with a finger."""
    x, y, height = lower_edge(card)
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 7):
        point = {"x": x, "y": y - share * height * step / 6}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def lower_edge(card: Locator) -> tuple[float, float, float]:
    box = card.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] - 4, box["height"]


def turn_by_keys(page: Page, card: Locator, share: float) -> None:
    """Fold a card with an arrow key; from where a drag would turn it, press Enter."""
    expect(card).to_be_focused()
    for _ in range(round(8 * share)):
        page.keyboard.press("ArrowUp")
    if share > 0.6:
        page.keyboard.press("Enter")


def squeezing(open_screen, table: str, token: str, form: dict[str, object]) -> Screen:
    """Open the table of a player who has chosen to squeeze."""
    screen: Screen = open_screen(table, token=token, **form)
    panel = screen.open("options")
    panel.get_by_role("switch", name="Squeeze the last card").check()
    screen.press("Escape")
    return screen


def to_peel(screen: Screen, side: str, *, after: int) -> Locator:
    """Wait for a card to be peeled, of which nothing is on the page, after so many that are seen."""
    card = screen.page.locator(f'.last-card[data-side="{side}"] .card.squeeze')
    expect(card).to_be_visible(timeout=TIMEOUT)
    expect(card.locator(".card-face")).to_have_count(0)
    expect(screen.page.locator(".hands .card")).to_have_count(6)
    expect(screen.page.locator(".hands .card.shown")).to_have_count(after)
    return card


@pytest.mark.parametrize(
    ("form", "turn"),
    [(MOUSE, drag_by_mouse), (TOUCH, drag_by_touch), (KEYS, turn_by_keys)],
    ids=["mouse", "touch", "keys"],
)
def test_each_card_that_may_be_the_last_is_squeezed_by_choice_and_the_result_waits(house, open_screen, form, turn):
    table = house.table("mini")
    screen = squeezing(open_screen, table, house.seated(table, 1), form)
    house.post(f"/tables/{table}/forced-cards", {"scenario": "player_wins_by_third_card"})
    screen.place("banker", "25")
    screen.act("deal")
    round_ = house.settled(table, 1)

    turn(screen.page, to_peel(screen, "banker", after=3), 0.8)
    card = to_peel(screen, "player", after=4)
    expect(screen.page.locator(".callout-net")).to_be_hidden()
    expect(screen.balance).to_have_text("€975.00")
    turn(screen.page, card, 0.4)
    expect(card).to_have_attribute("data-edge", "bottom")
    expect(card).not_to_have_class("shown")
    turn(screen.page, card, 0.8)

    screen.expect_round(round_)
    expect(screen.page.locator(".last-card")).to_be_hidden()
    returned = float(round_["seats"][0]["result"]["returned"])
    expect(screen.balance).to_have_text(f"€{975 + returned:,.2f}", timeout=TIMEOUT)


def test_with_instant_dealing_only_the_cards_to_squeeze_wait(house, open_screen):
    table = house.table("mini")
    screen = open_screen(table, token=house.seated(table, 1), **MOUSE)
    for switch in ("instant", "squeeze"):
        icon = screen.page.locator(f'[data-switch="{switch}"]')
        if icon.get_attribute("aria-pressed") == "false":  # the tests before may have switched it on
            icon.click()
        expect(icon).to_have_attribute("aria-pressed", "true")
    house.post(f"/tables/{table}/forced-cards", {"scenario": "banker_natural"})
    screen.place("banker", "25")
    screen.act("deal")
    round_ = house.settled(table, 1)

    drag_by_mouse(screen.page, to_peel(screen, "banker", after=3), 0.8)

    screen.expect_round(round_)


def test_a_card_that_nobody_squeezes_turns_when_betting_opens(house, open_screen):
    table = house.table("atlantic_city", turn_seconds=60, show_milliseconds=SHOW)
    screen = squeezing(open_screen, table, house.seated(table, 3), KEYS)
    number = house.number(table)
    screen.place("banker", "25")
    screen.act("deal")
    round_ = house.settled(table, number)
    expect(screen.page.locator(".last-card")).to_be_visible(timeout=TIMEOUT)

    expect(screen.page.locator(".message")).to_have_text("Place your bets", timeout=TIMEOUT)
    expect(screen.page.locator(".last-card")).to_be_hidden()
    screen.expect_round(round_)


def test_the_caller_squeezes_with_a_finger_at_any_size_without_covering_anything(house, open_screen):
    table = house.table("big_table", turn_seconds=60, look_seconds=60, hand_back_seconds=60)
    token = house.seated(table, 3)
    screen = open_screen(table, token=token, **TOUCH)
    number = house.number(table)
    screen.place("player", "100")
    screen.act("deal")
    caller = screen.page.get_by_role("region", name="The Caller")
    caller.get_by_role("button", name="Look").tap()
    cards = caller.locator(".card")
    expect(cards.first).to_be_focused()
    found = {}
    for size in (each for sizes in SIZES.values() for each in sizes):
        resize(screen.page, size)
        found[size] = faults(screen.page)
    assert not any(found.values()), {size: what for size, what in found.items() if what}
    resize(screen.page, (390, 844))

    drag_by_touch(screen.page, cards.first, 0.4)
    expect(caller.locator(".card.shown"), "a card let go too early falls back").to_have_count(0)
    drag_by_touch(screen.page, cards.first, 0.8)
    expect(caller.locator(".card.shown")).to_have_count(1)
    drag_by_touch(screen.page, cards.last, 0.8)
    expect(caller.locator(".card.shown")).to_have_count(2)
    caller.get_by_role("button", name="Hand back").tap()

    screen.expect_round(house.settled(table, number))
