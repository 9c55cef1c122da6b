from collections.abc import Generator
from pathlib import Path

import pytest

from tests.wallet.payments.counter import use_provider
from tests.wallet.payments.sandbox import running_provider


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Run the sandbox provider for the tests of one file and return its address."""
    folder: Path = tmp_path_factory.mktemp("provider")
    with running_provider(folder) as (url, _):
        yield url


@pytest.fixture
def reachable(address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Configure the sandbox provider with that address and return it."""
    use_provider(monkeypatch, address)
    return address
