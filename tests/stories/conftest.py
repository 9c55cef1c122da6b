"""One database for each module: its tests make operators, tables and players of their own."""

from collections.abc import Generator

import pytest
from pytest_django import DjangoDbBlocker

from tests.conftest import Database
from tests.services import Services
from tests.support.house import House, fresh_database, leave_the_past


@pytest.fixture(scope="module")
def module_database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Provide a migrated database that the tests of a module share."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


@pytest.fixture
def house(module_database: Database) -> House:
    """Return a new operator on the module's database, where nothing of earlier tests is due."""
    leave_the_past()
    return House()
