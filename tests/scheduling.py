"""Who runs what, and when, where several processes share the tests."""

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
)
"""What waits for processes most of the time. It begins first, so that it does not end last."""

TOGETHER: Final = ("tests/chaos/", "tests/browser/")
"""Folders whose files share one running system or one browser, and so run in one process."""


class LongFirst(LoadFileScheduling):
    """Gives whole files to processes, in the order in which they were collected."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        config.option.loadscopereorder = False  # would put files of few tests last, which are the longest
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        """A test's file, or the folder whose files run together."""
        return next((folder for folder in TOGETHER if nodeid.startswith(folder)), super()._split_scope(nodeid))


def long_first(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Order tests: the long ones, then the others as they were."""
    return sorted(
        items, key=lambda item: next((n for n, part in enumerate(LONG) if item.nodeid.startswith(part)), len(LONG))
    )
