"""One operator of the running system and one browser for all browser tests, which are skipped without Chromium."""

import contextlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from casino.devstack.bots.house import new_operator
from casino.witness.addresses import parse_addresses
from tests.programs import CHROMIUM, without
from tests.support.whole_system import System
from tests.system.browser.house import House
from tests.system.browser.screen import DESKTOP, TIMEOUT, Screen
from tests.system.browser.windows import Windows

expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder without Chromium."""
    for item in items:
        if CHROMIUM is None and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=without("chromium")))


@pytest.fixture(scope="package")
def house(shared_system: System) -> Generator[House]:
    """Add an operator to the system."""
    stack = shared_system.stack
    witnesses = tuple(each.url for each in parse_addresses(stack.environment["WITNESSES"]))
    with contextlib.closing(House(stack.base_url, new_operator(stack, "browser"), witnesses=witnesses)) as house:
        yield house


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    """Launch the installed Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    """Manage the browser's windows."""
    return Windows(browser)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Generator[Page]:
    """Open a window of a browser in which nobody has played, by default on a desk."""
    context = browser.new_context(locale="en-GB", **getattr(request, "param", {"viewport": DESKTOP}))
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    yield page
    context.close()


@pytest.fixture
def open_screen(house: House, windows: Windows) -> Generator[Callable[..., Screen]]:
    """Return `open_screen(table, seat)`, which opens a window for a new player at the table, or for a spectator.

    `token` opens it for an existing player, `latency` delays responses by milliseconds, `clock` allows the test to
    advance its time; further options are the window's.

    At the end no window may have logged an error or requested anything from another host.
    """
    with contextlib.ExitStack() as ends:
        opened: list[Screen] = []

        def open_window(
            table: str,
            seat: int | None = None,
            *,
            token: str | None = None,
            latency: int = 0,
            clock: bool = False,
            **form: Any,
        ) -> Screen:
            token = token or (house.newcomer() if seat is None else house.seated(table, seat))
            screen = windows.open(house, table=table, token=token, latency=latency, clock=clock, form=form)
            ends.callback(windows.close, screen)
            opened.append(screen)
            return screen

        yield open_window
        for screen in opened:
            screen.require_no_errors()
