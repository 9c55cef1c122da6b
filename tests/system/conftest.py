"""One running system for all tests of this folder; each test has an operator, tables and players of its own.

It is audited in the end.
"""

from collections.abc import Generator
from typing import Final

import pytest
from pytest_django import DjangoDbBlocker

from casino.devstack.home import PROJECT
from tests.support.books import audit_from_the_start
from tests.support.whole_system import System, running_system

_failed: Final[set[str]] = set()
_passed_later: Final[list[str]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that passes only when it is repeated."""
    if report.outcome == "rerun":
        _failed.add(report.nodeid)
    elif report.when == "call" and report.passed and report.nodeid in _failed:
        _passed_later.append(report.nodeid.partition("@")[0])


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Name what passed only when it was repeated."""
    if _passed_later and not hasattr(config, "workerinput"):
        print(f"{len(_passed_later)} tests passed only at their second run: {', '.join(_passed_later)}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of the shared system in one process, as those of one file."""
    for item in items:
        group = "system" if "shared_system" in getattr(item, "fixturenames", ()) else item.path.stem
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def shared_system(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Generator[System]:
    """Run the system as `make serve` does, in a folder that looks like a clone."""
    clone = tmp_path_factory.mktemp("clone")
    for entry in PROJECT.iterdir():
        if entry.name != ".casino":
            (clone / entry.name).symlink_to(entry)
    with running_system(clone / ".casino", name="main", demo=True, table_witnesses=1) as system:
        system.stack.create_demo_data()
        yield system
        assert audit_from_the_start(system, django_db_blocker).findings == ()


@pytest.fixture
def system(shared_system: System) -> Generator[System]:
    """Lend the system. A process that died unnoticed fails its test, with its log, and is back for the next test."""
    yield shared_system
    shared_system.revive()
