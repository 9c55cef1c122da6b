"""One whole system for all tests of this folder: each has tables and players of its own."""

from collections.abc import Generator

import pytest

from tests.chaos.system import System, running_system


@pytest.fixture(scope="package")
def system(tmp_path_factory: pytest.TempPathFactory) -> Generator[System]:
    """A running system; what a test strikes down is running again when the test ends."""
    with running_system(tmp_path_factory.mktemp("chaos")) as found:
        yield found
