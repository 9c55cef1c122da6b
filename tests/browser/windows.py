"""Windows of one browser. One that a test is done with goes on to the next table, as players do: by its address."""

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.house import House
from tests.browser.screen import Screen


class Windows:
    """`open(house, …)` opens the page in a window of a form, `close(screen)` keeps the window for the next test."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.contexts: dict[str, BrowserContext] = {}
        self.idle: dict[str, list[Page]] = {}

    def open(self, house: House, *, table: str, token: str, latency: int, clock: bool, form: dict[str, Any]) -> Screen:
        """Show a player's table, in a window of its own where its line or clock is not the usual one."""
        options = Screen.form(**form)
        key = repr(options)
        if key not in self.contexts:
            self.contexts[key] = self.browser.new_context(**options)
        waiting = self.idle.setdefault(key, [])
        page = waiting.pop() if waiting and not (latency or clock) else self.contexts[key].new_page()
        screen = Screen(page, house, table=table, token=token, form=key)
        screen.enter(latency=latency, clock=clock)
        return screen

    def close(self, screen: Screen) -> None:
        """Keep the window, unless something about it is not as in a new one."""
        screen.hear_no_more()
        if screen.usual and screen.page.locator(".game").count():
            self.idle[screen.kind].append(screen.page)
        else:
            screen.page.close()
