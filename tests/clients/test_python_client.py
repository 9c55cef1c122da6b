"""A client that openapi-python-client generates plays a session, with nothing patched and nothing added."""

import importlib
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from tests.clients.conftest import Service

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def generated(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Generate the client without a warning, and import it as `casino_client`."""
    folder = tmp_path_factory.mktemp("generated")
    configuration = folder / "configuration.yml"
    configuration.write_text("literal_enums: true\npost_hooks: []\n")
    generate = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(service.document)]
    options = ["--meta", "none", "--output-path", str(folder / "casino_client"), "--config", str(configuration)]
    subprocess.run([*generate, *options, "--fail-on-warning"], check=True)  # noqa: S603
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield
    for name in [name for name in sys.modules if name.startswith("casino_client")]:
        del sys.modules[name]


def call(tag: str, operation: str, client: Any, *arguments: Any, **options: Any) -> Any:
    """Call an operation of the generated client and return its parsed answer, which must not be a problem."""
    module = importlib.import_module(f"casino_client.api.{tag}.{operation}")
    answer = module.sync(*arguments, client=client, **options)
    assert answer is not None
    assert not type(answer).__name__.endswith("Problem"), answer
    return answer


@pytest.fixture
def connect(service: Service, generated: None) -> Generator[Callable[[str], Any]]:
    """Return `connect(token)`, which makes a client; all are closed at the end."""
    with ExitStack() as stack:
        client = importlib.import_module("casino_client").AuthenticatedClient
        yield lambda token: stack.enter_context(client(base_url=service.url, token=token))


def test_a_generated_client_plays_a_session(service: Service, connect: Callable[[str], Any]) -> None:
    models: Any = importlib.import_module("casino_client.models")
    operator = partial(call, client=connect(service.key))

    registered = operator(
        "wallet",
        "register_player",
        body=models.PlayerRequest(reference=uuid4().hex, nickname="Ann"),
        idempotency_key=uuid4().hex,
    )
    operator(
        "wallet",
        "credit_sandbox_player",
        player=registered.id,
        body=models.SandboxCreditRequest(amount="100.00", currency="EUR", money_type="play"),
        idempotency_key=uuid4().hex,
    )
    table = operator(
        "baccarat",
        "open_table",
        body=models.TableRequest(name="Generated", preset="mini", currency="EUR", money_types=["play"]),
        idempotency_key=uuid4().hex,
    )
    session = operator(
        "operators", "open_player_session", player=registered.id, body=models.PlayerSessionRequest(ttl_seconds=600)
    )
    client = connect(session.token)
    player = partial(call, client=client)
    player(
        "baccarat",
        "take_seat",
        table=table.id,
        body=models.TakeSeatRequest(seat=1, buy_in="50.00", currency="EUR", money_type="play"),
        idempotency_key=uuid4().hex,
    )
    with client.get_httpx_client().stream("GET", "/api/v1/stream", params={"table": str(table.id)}) as stream:
        lines = stream.iter_lines()
        assert next(line for line in lines if line.startswith("event:")) == "event: snapshot"
        state = player(
            "baccarat",
            "deal",
            table=table.id,
            body=models.DealRequest(stakes=[models.StakeRequest(spot="banker", amount="10.00")], currency="EUR"),
            idempotency_key=uuid4().hex,
        )
        assert state.seats[0].you
        assert any('"RoundSettled"' in line for line in lines)
    rounds = player("baccarat", "list_rounds")
    assert [str(each.table) for each in rounds.items] == [str(table.id)]
    player("baccarat", "leave_table", table=table.id, idempotency_key=uuid4().hex)
    balances = player("wallet", "get_my_balances")
    (account,) = [each for each in balances.items if each.money_type == "play" and each.account == "account"]
    assert account.balance.amount in {"90.00", "100.00", "109.50", "190.00"}
