"""One database for each module; its tests make operators, tables and players of their own."""

from collections.abc import Generator

import pytest
from pytest_django import DjangoDbBlocker

from tests.baccarat.api.people import Tenant, tenant
from tests.conftest import Database
from tests.services import Services
from tests.support.house import fresh_database


@pytest.fixture(scope="module")
def module_database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Yield a migrated database that the tests of a module share."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


@pytest.fixture
def lucky(module_database: Database) -> Tenant:
    """Yield a new operator, where Alice and Bob play."""
    return tenant("lucky")


@pytest.fixture
def golden(module_database: Database) -> Tenant:
    """Another new operator, where Charlie plays."""
    return tenant("golden")
