"""A running system, and an operator whose key the clients use."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from casino.devstack.bots.house import new_operator
from casino.devstack.home import claim
from casino.devstack.system import Stack
from casino.observability.process import ssl_context


@dataclass(frozen=True, slots=True)
class Service:
    """Where the system is, the operator's key, and the file with the document that it serves."""

    url: str
    key: str
    document: Path


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    """Serve the whole system as `make serve` does."""
    folder = tmp_path_factory.mktemp("clients")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASINO_HOME", str(folder))
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
            patch.delenv(name, raising=False)
        with Stack(name="clients", print_line=lambda _: None) as stack:
            document = folder / "api.json"
            document.write_bytes(httpx.get(f"{stack.base_url}/api/v1/schema", verify=ssl_context(), timeout=60).content)
            yield Service(stack.base_url, new_operator(stack, "generated"), document)
        home = claim(folder / "clients")
        assert home is not None
        home.remove()
