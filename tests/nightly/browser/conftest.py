"""The system and the browser of the tests in `tests/system/browser`, for every screen, preset and panel."""

from pathlib import Path

import pytest

from tests.programs import CHROMIUM, without
from tests.system.browser.conftest import browser, house, open_screen, stack, windows

__all__ = ["browser", "house", "open_screen", "stack", "windows"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder without Chromium."""
    for item in items:
        if CHROMIUM is None and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=without("chromium")))
