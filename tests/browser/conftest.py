"""One whole system and one browser for all that is tried on the page; left out where there is no Chromium."""

import contextlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from casino.devstack.bots.house import new_operator
from casino.devstack.system import Stack
from tests.browser.house import House
from tests.browser.screen import Screen
from tests.browser.windows import Windows
from tests.chromium import CHROMIUM
from tests.services import Services

expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of this folder out where nothing can show the page, and try a failed one once more.

    They look at other processes by a third one, on whatever machine there is; the run names those it tried again.
    """
    left_out = pytest.mark.skip(reason="no Chromium is installed")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1) if CHROMIUM else left_out)


@pytest.fixture(scope="package")
def house(services: Services, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """An operator of a system that runs on this run's servers, on a database of its own."""
    name = services.clone()
    try:
        with pytest.MonkeyPatch.context() as patch:
            for variable, value in servers(services, name).items():
                patch.setenv(variable, value)
            patch.setenv("CASINO_HOME", str(tmp_path_factory.mktemp("browser")))
            with (
                Stack(name="browser", print_line=lambda _: None) as stack,
                contextlib.closing(House(stack.base_url, new_operator(stack, "browser"))) as house,
            ):
                yield house
    finally:
        services.drop(name)


def servers(services: Services, database: str) -> dict[str, str]:
    """Where a system finds its servers, and the keys of what is sealed there."""
    environment = services.environment(database)
    kept = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS")
    return {name: environment[name] for name in kept}


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    """The system's own Chromium."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        yield found
        found.close()


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    """The browser's windows."""
    return Windows(browser)


@pytest.fixture
def sees(house: House, windows: Windows) -> Generator[Callable[..., Screen]]:
    """`sees(table, seat)` opens a window in which a new player sits at the table, or looks at it without a seat.

    With `token` it is the window of a player who is there already; with `latency` every answer comes so many
    milliseconds late, with `clock` its time can be moved on; the rest is the window's form.

    At the end no window may have shown an error, or asked another host for anything.
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
            screen.require_quiet()
