"""Optional programs: a test whose program is missing is skipped by its name, and the last line of the run lists them.

Where `CI` is set, such a skip fails the run.
"""

import os
import re
import shutil
from typing import Final

import pytest

_REASON: Final = re.compile(r"Skipped: (.+) is not installed")
_skipped: Final[list[str]] = []


def find(*names: str) -> str | None:
    """Return the path of the first of these programs that is installed; users seldom have `sbin` in their PATH."""
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    return next((found for name in names if (found := shutil.which(name, path=path))), None)


CHROMIUM: Final = find("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def missing(*programs: str) -> tuple[str, ...]:
    """Return those of the programs that are not installed."""
    return tuple(program for program in programs if find(program) is None)


def without(program: str) -> str:
    """Return the reason for which tests are skipped."""
    return f"{program} is not installed"


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip a test where one of the programs is missing."""
    lacking = missing(*programs)
    return pytest.mark.skipif(bool(lacking), reason=without(", ".join(lacking)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a skip for want of a program."""
    if report.skipped and isinstance(report.longrepr, tuple) and (found := _REASON.search(report.longrepr[2])):
        _skipped.append(found[1])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that was skipped as a whole."""
    if report.skipped and isinstance(report.longrepr, tuple) and (found := _REASON.search(report.longrepr[2])):
        _skipped.append(found[1])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run of CI that lacks a program."""
    if _skipped and os.environ.get("CI") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Name the missing programs in the last line."""
    if _skipped and not hasattr(config, "workerinput"):
        names = sorted({name for names in _skipped for name in names.split(", ")})
        print(f"{len(_skipped)} tests skipped: {', '.join(names)}")
