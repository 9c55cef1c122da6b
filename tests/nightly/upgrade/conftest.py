"""Compatibility, migrations and upgrades are checked from release 2.0 on: nothing is promised before it."""

from pathlib import Path

import pytest

from casino.api.reference import VERSION

PROMISED_FROM = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder before the first release that promises anything."""
    if int(VERSION.partition(".")[0]) < PROMISED_FROM:
        skip = pytest.mark.skip(reason=f"version {VERSION}: compatibility is promised from 2.0 on")
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(skip)
