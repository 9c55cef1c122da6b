"""Fixtures: one database and one web server for each module, whose tests make operators, tables and players."""

from collections.abc import Generator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from tests.baccarat.api.people import Tenant, tenant
from tests.baccarat.streaming.listening import Web
from tests.conftest import Database
from tests.services import Services
from tests.support.house import fresh_database


@pytest.fixture(scope="module")
def module_database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Yield a migrated database that the tests of a module share."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


@pytest.fixture(scope="module")
def web(module_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[Web]:
    """Yield a real web server on that database, with a pool of a few connections."""
    folder: Path = tmp_path_factory.mktemp("web")
    with Web(module_database, log=folder / "web.log") as running:
        yield running


@pytest.fixture
def lucky(module_database: Database) -> Tenant:
    """Create a new operator."""
    return tenant("lucky")


@pytest.fixture
def golden(module_database: Database) -> Tenant:
    """Create another new operator."""
    return tenant("golden")
