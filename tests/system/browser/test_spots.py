"""A side bet that only data describe: its rules a file, its name a translation."""

import tomllib
from collections.abc import Callable
from typing import Any, Final

from playwright.sync_api import expect

from casino.devstack.home import PROJECT
from tests.system.browser.house import House
from tests.system.browser.screen import TIMEOUT, Screen
from tests.system.browser.test_check import check, expect_tick

SPOTS: Final[list[dict[str, Any]]] = tomllib.loads((PROJECT / "tests/support/lucky_nine.toml").read_text())["spots"]
PLAYER_BY_NINE_IN_THREE_CARDS: Final = ["2c", "Ks", "3d", "7h", "4s"]


def test_a_side_bet_is_played_paid_explained_and_checked(house: House, open_screen: Callable[..., Screen]) -> None:
    screen = open_screen(house.table("mini", spots=SPOTS), 1)
    house.post(f"/tables/{screen.table}/forced-cards", {"cards": PLAYER_BY_NINE_IN_THREE_CARDS})
    expect(screen.page.locator(".panel-spot .spot-name")).to_have_text(["Player", "Tie", "Banker", "Lucky Nine"])
    explained = screen.open("help").locator('[data-spot="lucky_nine"]')
    expect(explained).to_contain_text("20:1: Player wins, Player's cards: 3 and Player's points: 9 (")
    expect(explained).to_contain_text("Only with a bet on Player or Banker")
    screen.press("Escape")
    screen.place("lucky_nine", "5")
    screen.expect_notice("Lucky Nine takes chips only with a bet on Player or Banker.")
    screen.place("player", "25")
    screen.choose("5")
    screen.press("l")
    expect(screen.chips_on("lucky_nine")).to_have_text("5")
    screen.act("deal")
    round_ = house.settled(screen.table, 1)

    results = round_["seats"][0]["result"]["spots"]
    assert {each["spot"]: each["returned"] for each in results} == {"player": "50.00", "lucky_nine": "105.00"}
    screen.expect_round(round_)
    expect(screen.balance).to_have_text("€1,125.00")
    expect_tick(check(screen, round_), "forced", "Test round: its cards were chosen.", timeout=3 * TIMEOUT)
    screen.page.get_by_role("button", name="Replay").first.click()
    expect(screen.spot("lucky_nine")).to_have_attribute("data-winner", "true", timeout=TIMEOUT)
    expect(screen.spot("lucky_nine").locator(".spot-result")).to_have_text("+100")
    expect(screen.spot("banker")).to_have_attribute("data-winner", "false")
    screen.press("Escape")
    screen.act("rebet")
    expect(screen.bet).to_have_text("€30.00")
    screen.act("clear")
    expect(screen.bet).to_have_text("€0.00")
