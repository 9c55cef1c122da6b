"""One database for each module: its tests make operators, tables and players of their own."""

from collections.abc import Generator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker, Settings

from tests.baccarat.services.witnessing import witnessing
from tests.casino.witness.running import RunningWitness
from tests.conftest import Database
from tests.services import Services
from tests.support.house import House, fresh_database, leave_the_past
from tests.wallet.remote.operators import WalletServer, begin_again, running_wallet


@pytest.fixture(scope="module")
def module_database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Yield a migrated database that the tests of a module share."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


@pytest.fixture
def house(module_database: Database) -> House:
    """Yield a new operator on the module's database, where nothing of earlier tests is due."""
    leave_the_past()
    return House()


@pytest.fixture
def witness(
    house: House, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Generator[RunningWitness]:
    """Yield a witness of the operator's tables; `house` has a database of its own then."""
    with witnessing(tmp_path / "witness", settings, monkeypatch) as witness:
        yield witness


@pytest.fixture(scope="module")
def module_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[WalletServer]:
    """Yield an operator's wallet that the tests of a module share."""
    with running_wallet(tmp_path_factory.mktemp("operator")) as running:
        yield running


@pytest.fixture
def server(module_server: WalletServer, monkeypatch: pytest.MonkeyPatch) -> WalletServer:
    """Return the module's wallet, which has forgotten how earlier tests let it behave."""
    begin_again(module_server, monkeypatch)
    return module_server
