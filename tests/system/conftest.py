"""One running system for all tests of this folder; each test has an operator, tables and players of its own.

It is audited in the end.
"""

from collections.abc import Generator
from typing import Any, Final

import pytest
from pytest_django import DjangoDbBlocker
from xdist.scheduler import LoadScopeScheduling

from casino.devstack.home import PROJECT
from tests.support.books import audit_from_the_start
from tests.support.whole_system import System, running_system

SHARING: Final = (
    "tests/system/browser/",
    "tests/system/casino/devstack/test_own_wallet.py",
    "tests/system/clients/",
    "tests/system/deploy/test_documents.py",
    "tests/system/test_kills.py",
)
"""Where the shared system's tests are."""
_failed: Final[set[str]] = set()
_passed_later: Final[list[str]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that passes only when it is repeated."""
    if report.outcome == "rerun":
        _failed.add(report.nodeid)
    elif report.when == "call" and report.passed and report.nodeid in _failed:
        _passed_later.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Name what passed only when it was repeated."""
    if _passed_later and not hasattr(config, "workerinput"):
        print(f"{len(_passed_later)} tests passed only at their second run: {', '.join(_passed_later)}")


class Scheduling(LoadScopeScheduling):
    """Sends whole files to processes, and all that share the system to one of them."""

    def _split_scope(self, nodeid: str) -> str:
        return "system" if nodeid.startswith(SHARING) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Choose which process runs which test."""
    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test that would start the system in another process."""
    for item in items:
        if "shared_system" in getattr(item, "fixturenames", ()) and item.nodeid.startswith("tests/system/"):
            assert item.nodeid.startswith(SHARING), f"SHARING lacks {item.nodeid}"


@pytest.fixture(scope="session")
def shared_system(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Generator[System]:
    """Run the system as `make serve` does, in a folder that looks like a clone."""
    clone = tmp_path_factory.mktemp("clone")
    for entry in PROJECT.iterdir():
        if entry.name != ".casino":
            (clone / entry.name).symlink_to(entry)
    with running_system(clone / ".casino", name="main", demo=True, table_witnesses=1) as system:
        yield system
        assert audit_from_the_start(system, django_db_blocker).findings == ()


@pytest.fixture
def system(shared_system: System) -> Generator[System]:
    """Lend the system. A process that died unnoticed fails its test, with its log, and is back for the next test."""
    yield shared_system
    shared_system.revive()
