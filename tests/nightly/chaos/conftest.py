"""One running system for all tests of this folder; each test has its own tables and players.

Each audits what it changed, and everything is audited in the end.
"""

from collections.abc import Generator

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.books import audit_from_the_start
from tests.support.whole_system import System, running_system


@pytest.fixture(scope="package")
def shared_system(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Generator[System]:
    """Run the system."""
    with running_system(tmp_path_factory.mktemp("chaos"), name="chaos") as system:
        yield system
        assert audit_from_the_start(system, django_db_blocker).findings == ()


@pytest.fixture
def system(shared_system: System) -> Generator[System]:
    """Lend the system. A process that died unnoticed fails its test, with its log, and is back for the next test."""
    yield shared_system
    shared_system.revive()
