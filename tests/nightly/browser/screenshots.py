"""Take pictures of the table in its states, at the sizes that players have: `make screenshots`.

The pictures go to build/screenshots, which git ignores. None is compared: they are made to be looked at.
"""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from casino.devstack.bots.house import new_operator
from casino.devstack.system import Stack
from tests.processes import wait_until
from tests.programs import CHROMIUM
from tests.system.browser.house import House
from tests.system.browser.screen import Screen
from tests.system.browser.windows import Windows

FOLDER: Final = Path("build/screenshots")
SIZES: Final = ((1440, 900), (1024, 768), (820, 1180), (390, 844), (844, 390), (320, 480))
TURN: Final = {"turn_seconds": 600}
STEPS: Final = ("dealing", "called", "paying")
PANELS: Final = ("stats", "chat", "history", "cash", "limit", "fair", "options", "help")
ACCOUNT: Final = ("deposit", "withdraw", "statement")
HANDS: Final = 45


class Studio:
    """Opens tables and photographs them, each state at each size."""

    def __init__(self, house: House, windows: Windows) -> None:
        self.house = house
        self.windows = windows

    def photograph(self, state: str, table: str, token: str, act: Callable[[Page], object] | None = None) -> None:
        """Open the table as this player, act, and take a picture at each size."""
        screen = self.open(table, token)
        if act is not None:
            act(screen.page)
        for size in SIZES:
            self.shoot(screen.page, state, size)
        screen.page.close()

    def open(self, table: str, token: str, **form: object) -> Screen:
        """Open a table in a window."""
        return self.windows.open(self.house, table=table, token=token, latency=0, clock=False, form=form)

    def shoot(self, page: Page, state: str, size: tuple[int, int]) -> None:
        """Take one picture."""
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.wait_for_timeout(300)
        page.screenshot(path=FOLDER / f"{state}-{size[0]}x{size[1]}.png")

    def place(self, table: str, tokens: list[str], stakes: dict[str, str]) -> None:
        """Place chips for each of these players."""
        for token in tokens:
            for spot, amount in stakes.items():
                self.house.post(f"/tables/{table}/place", {"spot": spot, "amount": amount, "currency": "EUR"}, token)

    def deal(self, table: str, tokens: list[str]) -> None:
        """Confirm everybody's chips and wait for the result."""
        number = self.house.number(table)
        for token in tokens:
            self.house.post(f"/tables/{table}/deal", {}, token)
        self.house.settled(table, number)

    def rooms_of(self, preset: str, seats: int, stakes: dict[str, str], **rules: object) -> None:
        """Photograph a table of a preset: for a spectator, empty, with chips, confirmed, and after the round."""
        table = self.house.table(preset, **rules)
        self.photograph(f"{preset}-spectator", table, self.house.newcomer())
        tokens = self.house.company(table, *range(1, seats + 1), buy_in="4000.00")
        own = tokens[seats // 2]
        self.photograph(f"{preset}-betting", table, own)
        self.place(table, tokens, stakes)
        self.photograph(f"{preset}-chips", table, own)
        self.photograph(f"{preset}-right-to-left", table, own, turn_around)
        if seats > 1:
            self.house.post(f"/tables/{table}/deal", {}, own)
            self.photograph(f"{preset}-confirmed", table, own)
            tokens.remove(own)
        self.deal(table, tokens)
        if seats > 1:
            assert wait_until(lambda: bool(self.house.get(f"/tables/{table}")["round"]))
        self.photograph(f"{preset}-result", table, own)

    def steps_of_a_deal(self) -> None:
        """Photograph the deal, the call and the payment as they are animated, each in a deal of its own.

        A step lasts half a second, and a picture of the one before it may take longer.
        """
        for size, step in itertools.product(SIZES, STEPS):
            table = self.house.table("atlantic_city", show_milliseconds=dict.fromkeys(LONG_SHOW, 60_000), **TURN)
            tokens = self.house.company(table, 1, 3, 5)
            self.place(table, tokens, {"player": "25.00", "tie": "5.00", "banker": "100.00"})
            screen = self.open(table, tokens[1], reduced_motion="no-preference")
            screen.page.set_viewport_size({"width": size[0], "height": size[1]})
            self.deal(table, tokens)
            screen.page.locator(f'.game[data-step="{step}"]').wait_for()
            screen.page.screenshot(path=FOLDER / f"deal-{step}-{size[0]}x{size[1]}.png")
            screen.page.close()

    def lobby(self) -> None:
        """Photograph the lobby over all tables so far, each part of the account, and the light theme, which stays."""
        table = self.house.table("mini")
        token = self.house.seated(table, 1)
        self.photograph("lobby", table, token, go_to_lobby)
        for part in ACCOUNT:
            self.photograph(f"lobby-{part}", table, token, lambda page, part=part: open_account(page, part))
        self.photograph("light", table, token, paint_light)
        self.photograph("lobby-light", table, token, go_to_lobby)

    def panels(self) -> None:
        """Photograph a long scoreboard and each panel."""
        table = self.house.table("overview")
        token = self.house.seated(table, 1, buy_in="4000.00")
        for _ in range(HANDS):
            self.place(table, [token], {"banker": "5.00"})
            self.deal(table, [token])
        self.photograph("scoreboard", table, token)
        self.photograph("door", table, self.house.newcomer(), sign_out)
        for panel in PANELS:
            self.photograph(f"panel-{panel}", table, token, lambda page, panel=panel: open_panel(page, panel))

    def squeeze(self) -> None:
        """Photograph the Caller's seat with a card half folded."""
        table = self.house.table("big_table", look_seconds=60, hand_back_seconds=60, **TURN)
        tokens = self.house.company(table, 3, 9)
        self.place(table, tokens[:1], {"player": "100.00"})
        self.place(table, tokens[1:], {"player": "25.00"})
        for token in tokens:
            self.house.post(f"/tables/{table}/deal", {}, token)

        def fold(page: Page) -> None:
            page.get_by_role("button", name="Look").click()
            page.locator(".caller:not(.last-card) .squeeze").first.press("ArrowUp")
            for _ in range(4):
                page.keyboard.press("ArrowUp")

        self.photograph("caller-waits", table, tokens[1])
        self.photograph("caller-squeezes", table, tokens[0], fold)


def turn_around(page: Page) -> None:
    """Lay the page out from right to left, which none of its languages is."""
    page.evaluate("document.documentElement.dir = 'rtl'")


def go_to_lobby(page: Page) -> None:
    """Go from a table to the lobby."""
    page.locator(".to-lobby").click()
    page.locator(".lobby-table").first.wait_for()


def open_account(page: Page, part: str) -> None:
    """Open a part of the account in the lobby."""
    go_to_lobby(page)
    page.locator(f'[data-account="{part}"]').click()
    page.locator("dialog h3").first.wait_for()


def open_panel(page: Page, panel: str) -> None:
    """Open a panel, also one whose button this size hides."""
    page.locator(f'[data-panel="{panel}"]').evaluate("button => button.click()")
    page.locator(".panel-head h2").wait_for()


def sign_out(page: Page) -> None:
    """Leave for the door."""
    go_to_lobby(page)
    page.get_by_role("button", name="Change player").click()
    page.locator(".door").wait_for()


def paint_light(page: Page) -> None:
    """Choose the classic room and the light theme, and open the options."""
    open_panel(page, "options")
    page.locator('input[name="style"][value="classic"]').check(force=True)
    page.locator('input[name="theme"][value="light"]').check(force=True)


LONG_SHOW: Final = ("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony")


@contextlib.contextmanager
def studio() -> Iterator[Studio]:
    """Run a system and a browser."""
    with (
        Stack(name="screenshots", fresh=True) as stack,
        contextlib.closing(House(stack.base_url, new_operator(stack, "screenshots"))) as house,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        yield Studio(house, Windows(browser))
        browser.close()


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stakes = {"player": "25.00", "tie": "5.00", "banker": "131.00"}
    with studio() as pictures:
        pictures.rooms_of("atlantic_city", 5, stakes, **TURN)
        pictures.rooms_of("big_table", 14, {"player": "1025.00", "tie": "25.00"}, caller=False, **TURN)
        pictures.rooms_of("mini", 1, stakes)
        pictures.rooms_of("classic", 1, {"banker": "131.00"})
        pictures.steps_of_a_deal()
        pictures.squeeze()
        pictures.panels()
        pictures.lobby()


if __name__ == "__main__":
    main()
