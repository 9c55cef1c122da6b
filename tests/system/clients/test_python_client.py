"""A client that openapi-python-client generates plays a session, with nothing patched and nothing added."""

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import httpx

from tests.system.clients.conftest import Service, call


def test_a_generated_client_reads_what_a_later_version_adds(connect: Callable[[str], Any]) -> None:
    item = {
        "specversion": "1.0", "id": "1", "source": "/operators/acme", "type": "baccarat.table.painted.v1",
        "subject": "tables/1", "time": "2026-11-21T09:00:00Z", "datacontenttype": "application/json",
        "dataschema": "https://casino.example/api/v1/feed/schemas/baccarat.table.painted.v1", "number": 1, "data": {},
        "colour": "red",
    }  # fmt: skip
    problem = {
        "type": "https://casino.example/api/v1/problems/paint_wet", "title": "Wet", "status": 409, "detail": "Wet.",
        "instance": "/api/v1/feed", "code": "paint_wet", "remedy": "Wait.", "request_id": "1", "minutes": 5,
    }  # fmt: skip
    answers = iter([
        httpx.Response(200, json={"items": [item], "next": 1, "head": 1}),
        httpx.Response(403, json=problem),
    ])  # fmt: skip
    client = connect("any")
    client.set_httpx_client(
        httpx.Client(base_url="http://any.example", transport=httpx.MockTransport(lambda _: next(answers)))
    )
    read_feed = importlib.import_module("casino_client.api.feed.read_feed")

    page, refused = read_feed.sync(client=client), read_feed.sync(client=client)

    assert page.items[0].type_ == "baccarat.table.painted.v1"
    assert page.items[0].additional_properties == {"colour": "red"}
    assert (type(refused).__name__, refused.code, refused["minutes"]) == ("OtherProblem", "paint_wet", 5)


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
