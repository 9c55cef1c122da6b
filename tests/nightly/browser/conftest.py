"""A system of its own, and the browser of `tests/system/browser`, for every screen, preset and panel."""

from collections.abc import Generator
from pathlib import Path

import pytest

from casino.devstack.system import Stack
from tests.programs import CHROMIUM, without
from tests.support.whole_system import System, running_system
from tests.system.browser.conftest import browser, house, open_screen, page, windows
from tests.system.browser.test_back_office import desk, enter
from tests.system.browser.test_cashier import card
from tests.system.browser.test_lobby import open_lobby

__all__ = ["browser", "card", "desk", "enter", "house", "open_lobby", "open_screen", "page", "windows"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder without Chromium."""
    for item in items:
        if CHROMIUM is None and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=without("chromium")))


@pytest.fixture(scope="package")
def shared_system(tmp_path_factory: pytest.TempPathFactory) -> Generator[System]:
    """Run a system whose tables have a witness, and whose cards tests may choose."""
    with running_system(
        tmp_path_factory.mktemp("browser"), name="screens", table_witnesses=1, FORCED_CARDS="true"
    ) as system:
        yield system


@pytest.fixture(scope="package")
def stack(shared_system: System) -> Stack:
    """Return the system's processes."""
    return shared_system.stack
