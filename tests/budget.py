"""Core-seconds of `make test`: of each test, which may use two, and of each folder, beside its budget.

What counts is processor time of this process and of its children that have ended, with what a test's own fixtures use
and without what tests share. `budget.toml` has the folders' budgets and the tests that may use more, each with the
reason. Wall time depends on what else the machine does, and is printed alone.
"""

import contextlib
import json
import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.depth import DEEP

LIMIT: Final = 2.0
"""Core-seconds."""
QUIET: Final = 0.09
"""Seconds of the yardstick where nothing else runs."""
NOISE: Final = 1.5
"""How far one test's cost may be off beside others: a gate that fails by chance is none."""
MOST_EXCEPTIONS: Final = 20
ELSEWHERE: Final = ("tests/system/", "tests/nightly/", "tests/lint/")
"""What `make test` does not run has no budget."""
BUDGET: Final = tomllib.loads(Path(__file__).with_name("budget.toml").read_text(encoding="utf-8"))
assert len(BUDGET["exceptions"]) <= MOST_EXCEPTIONS, "too many tests may use more than the others"

_began = _left_out = 0.0
_sharing = False
_by_folder: Final[Counter[str]] = Counter()


def _used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextlib.contextmanager
def shared() -> Generator[None]:
    """Blame no test for what the block uses, because further tests use its result, too."""
    global _left_out, _sharing  # noqa: PLW0603
    if _sharing:
        yield
        return
    began, _sharing = _used(), True
    try:
        yield
    finally:
        _sharing = False
        _left_out += _used() - began


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Begin to count."""
    global _began, _left_out
    _began, _left_out = _used(), 0.0
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Generator[None, Any, Any]:
    """Leave out fixtures of more than one test."""
    with contextlib.nullcontext() if fixturedef.scope == "function" else shared():
        return (yield)


def _slowness() -> float:
    """Return how many times as long as a quiet machine this one takes now: shared cores and memory make code dearer."""
    began = time.process_time()
    for _ in range(3):
        json.loads(json.dumps({str(number): [number] for number in range(30_000)}))
    return max(1.0, (time.process_time() - began) / QUIET)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test that used too much, unless the list of exceptions has it.

    Tests that go deeper, or are traced, use more.
    """
    yield
    used = _used() - _began - _left_out
    name = item.nodeid.partition("[")[0]
    excepted = DEEP or sys.gettrace() is not None or name in BUDGET["exceptions"] or name.startswith(ELSEWHERE)
    if used > LIMIT and not excepted and used / _slowness() > NOISE * LIMIT:
        pytest.fail(
            f"{used:.1f} core-seconds; {LIMIT:g} are allowed. Make it cheaper, move it to tests/system or "
            "tests/nightly, or give the reason in tests/budget.toml.",
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Note what the test used, with what it set up and took down for others."""
    try:
        return (yield)
    finally:
        item.user_properties.append(("core_seconds", round(_used() - _began, 3)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up by folder."""
    if report.when == "teardown":
        folder = str(Path(report.nodeid.partition("::")[0]).parent.relative_to("tests"))
        budgeted = next((name for name in BUDGET["folders"] if f"{folder}/".startswith(f"{name}/")), folder)
        _by_folder[budgeted] += float(dict(report.user_properties).get("core_seconds", 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the folders of a whole run beside their budgets."""
    if not config.getoption("--whole-contract"):
        return
    terminalreporter.section("core-seconds by folder, and their budget")
    for folder, used in sorted(_by_folder.items(), key=lambda item: -item[1]):
        budget = BUDGET["folders"].get(folder)
        over = "" if budget is None or used <= budget else "  over"
        terminalreporter.line(f"{folder:32}{used:7.1f}{budget if budget is not None else '-':>7}{over}")
    terminalreporter.line(f"{'all':32}{sum(_by_folder.values()):7.1f}{sum(BUDGET['folders'].values()):>7}")
