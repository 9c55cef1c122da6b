"""The order of tests and their distribution over processes."""

from collections.abc import Sequence
from typing import Any, Final

import pytest
from xdist.scheduler import LoadFileScheduling

LONG: Final = (
    "tests/chaos/",
    "tests/browser/",
    "tests/casino/devstack/test_up.py",
    "tests/deploy/",
    "tests/casino/devstack/",
    "tests/bench/",
    "tests/wallet/remote/test_delivery.py",
)
"""Slow tests, which mostly wait for processes. They start first, so that they don't end last."""

TOGETHER: Final = ("tests/chaos/", "tests/browser/", "tests/architecture/")
"""Folders whose files share one running system, one browser or what was parsed, and so run in one process."""


class LongFirst(LoadFileScheduling):
    """Assign whole files to processes, in the order of collection."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        config.option.loadscopereorder = False  # would put files of few tests last, which are the longest
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        """Return a test's file, or the folder whose files run together."""
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), super()._split_scope(nodeid))


def long_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Move the slow tests to the front."""
    return sorted(
        items, key=lambda item: next((n for n, part in enumerate(LONG) if item.nodeid.startswith(part)), len(LONG))
    )
