"""Each panel at every size and in both themes: it fits, is cut off nowhere, can be hit with a finger and be read."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.nightly.browser.layout import resize
from tests.system.browser.screen import TIMEOUT

SIZES = ((1280, 800), (768, 1024), (390, 844), (320, 568), (640, 400))
"""The last one is 1280 by 800 at 200 % zoom."""
PANELS = ("stats", "chat", "history", "cash", "limit", "fair", "options", "help")
MEASURE = Path(__file__).with_name("panel_faults.js").read_text()


@pytest.fixture
def player(house, open_screen):
    """Open the table of a player with a round behind them, a message in the chat, and a limit in force."""
    table = house.table("mini")
    token = house.seated(table, 1)
    house.post(f"/tables/{table}/chat", {"text": "Good luck to everybody at this table"}, token)
    house.post("/me/limits", {"limit_type": "stake", "period": "week", "amount": "123456.00", "currency": "EUR"}, token)
    for number in (1, 2):
        wager = {"stakes": [{"spot": "banker", "amount": "300.00"}], "currency": "EUR"}
        house.post(f"/tables/{table}/deal", wager, token)
        house.settled(table, number)
    return open_screen(table, token=token)


def open_panel(page: Page, name: str) -> None:
    """Open a panel, at a size that shows the chat beside the table too, with all that it folds away."""
    page.locator(f'[data-panel="{name}"]').evaluate("button => button.click()")
    expect(page.locator(".panel-head h2")).to_be_visible()
    expect(page.locator(".panel [aria-busy]")).to_have_count(0, timeout=TIMEOUT)
    page.locator(".panel details").evaluate_all("all => { for (const details of all) details.open = true; }")


def paint(page: Page, theme: str) -> None:
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)


def test_each_panel_fits_every_size_and_its_controls_are_a_finger_wide(player):
    found = {}

    for name in PANELS:
        open_panel(player.page, name)
        for size in SIZES:
            resize(player.page, size)
            found[name, size] = player.page.evaluate(MEASURE)
        resize(player.page, SIZES[0])

    assert not any(found.values()), {where: what for where, what in found.items() if what}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_each_panel_is_accessible_and_readable_in_both_themes(player, theme):
    paint(player.page, theme)
    found = {}

    for name in PANELS:
        open_panel(player.page, name)
        result = Axe().run(player.page, context=".panel", options={"resultTypes": ["violations"]})
        found[name] = result.generate_report() if result.violations_count else ""

    assert not any(found.values()), "\n".join(found.values())


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_table_with_scoreboard_and_chat_is_accessible_in_both_themes(player, theme):
    resize(player.page, (1440, 900))
    paint(player.page, theme)
    for button in player.page.locator(":is(.scoreboard, .chat-column) :is(button, input):visible").all():
        box = button.bounding_box()
        assert box["height"] >= 43.5, button.get_attribute("class")
    result = Axe().run(player.page, options={"resultTypes": ["violations"]})
    assert result.violations_count == 0, result.generate_report()


def test_the_measurement_finds_what_leaves_the_panel_and_small_controls(player):
    open_panel(player.page, "options")
    player.page.evaluate("""() => {
      document.querySelector(".panel .segment span").parentElement.style.width = "30px";
      document.querySelector(".panel legend").style.marginInlineStart = "400px";
    }""")

    found = "\n".join(player.page.evaluate(MEASURE))

    assert "is only 30" in found
    assert "leaves the panel" in found


def test_a_panel_that_did_not_arrive_is_asked_for_again(player):
    player.page.route("**/panels/help*.js", lambda route: route.abort())
    player.page.reload()  # the window may have loaded it for another test
    expect(player.page.locator(".board")).to_be_visible(timeout=TIMEOUT)
    panel = player.open("help")
    expect(panel.get_by_role("alert")).to_contain_text("The service does not answer")
    player.page.unroute("**/panels/help*.js")

    panel.get_by_role("button", name="Try again").click()

    expect(panel.locator("kbd").first).to_be_visible()
    expect(panel.get_by_role("heading", name="Help")).to_be_focused()


def test_in_smaller_frames_the_menu_unfolds_over_the_felt(player):
    menu = player.page.get_by_role("button", name="Game menu")
    expect(menu).to_be_hidden()
    resize(player.page, (320, 480))
    entries = player.page.get_by_role("navigation", name="Game menu").get_by_role("button")
    expect(entries).to_have_count(0)

    menu.click()
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(entries).to_have_count(len([*PANELS, "leave"]))
    boxes = [entry.bounding_box() for entry in entries.all()]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 320 and box["height"] >= 44 for box in boxes)
    player.press("Escape")
    expect(entries).to_have_count(0)
    expect(menu).to_be_focused()
    menu.click()
    entries.filter(has_text="Help").click()
    expect(player.page.locator(".panel-head h2")).to_have_text("Help")
    expect(entries).to_have_count(0)
    resize(player.page, (1280, 800))
