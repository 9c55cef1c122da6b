"""Windows of one browser, reused from test to test."""

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.system.browser.house import House
from tests.system.browser.screen import Screen


class Windows:
    """Opens the page in a window, and keeps closed windows for the next test."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: dict[str, BrowserContext] = {}
        self.idle: dict[str, list[Page]] = {}

    def open(self, house: House, *, table: str, token: str, latency: int, clock: bool, form: dict[str, Any]) -> Screen:
        """Open a player's table, in a new window if its network or clock is changed."""
        options = Screen.form(**form)
        key = repr(options)
        if key not in self.contexts:
            seen = {"name": "casino.local", "value": '{"hint": false}'}  # the first steps were explained before
            storage = {"cookies": [], "origins": [{"origin": house.base_url, "localStorage": [seen]}]}
            self.contexts[key] = self.browser.new_context(**options, storage_state=storage)
        idle_pages = self.idle.setdefault(key, [])
        page = idle_pages.pop() if idle_pages and not (latency or clock) else self.contexts[key].new_page()
        page.bring_to_front()  # Chromium draws a window behind another once a second
        page.set_viewport_size(options["viewport"])  # the test before may have changed it
        screen = Screen(page, house, table=table, token=token, form=key)
        screen.enter(latency=latency, clock=clock)
        return screen

    def close(self, screen: Screen) -> None:
        """Keep the window, unless its network or clock was changed or a test that failed left a panel open."""
        screen.stop_listening()
        if screen.usual and screen.page.locator(".game:not([data-panel]), .game[data-panel='']").count():
            self.idle[screen.kind].append(screen.page)
        else:
            screen.page.close()
