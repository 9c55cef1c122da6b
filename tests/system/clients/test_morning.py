"""A stranger's morning: from `make serve` to an embedded table with a bet, its webhook verified, its round found.

With generated clients only, in Python and in TypeScript. The time of each is printed.
"""

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from casino.observability.process import ssl_context
from tests.casino.feed.receiving import Message, Receiver, receiver, verify
from tests.support.typescript import needs_node
from tests.system.clients.conftest import Service, call

SITE = "http://127.0.0.1:4173"
PATIENCE = 60.0


def message_about(round_: str, theirs: Receiver) -> Message:
    """Wait for the message about a round."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for message in theirs.messages:
            if message.item["subject"] == f"rounds/{round_}":
                return message
        time.sleep(0.05)
    raise AssertionError(f"no webhook about round {round_}")


def test_a_stranger_embeds_a_table_bets_and_verifies_it_in_python(
    service: Service, connect: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    models: Any = importlib.import_module("casino_client.models")
    operator = partial(call, client=connect(service.key))
    with receiver() as theirs:
        webhook = operator(
            "feed",
            "register_webhook",
            body=models.WebhookRequest(url=theirs.url, types=["round.settled"]),
            idempotency_key=uuid4().hex,
        )
        operator("operators", "set_operator_origins", body=models.OriginsRequest(origins=[SITE]))
        operator(
            "baccarat",
            "open_table",
            body=models.TableRequest(name="Morning", preset="mini", currency="EUR", money_types=["play"]),
            idempotency_key=uuid4().hex,
        )
        launch = operator(
            "operators",
            "launch_player",
            body=models.LaunchRequest(
                player=models.PlayerRequest(reference=uuid4().hex, nickname="Ann"),
                preset="mini",
                money_type="play",
                parent_origin=SITE,
            ),
        )
        page = httpx.get(launch.url, verify=ssl_context())
        assert (page.status_code, SITE in page.headers["Content-Security-Policy"]) == (200, True)
        (code,) = parse_qs(urlsplit(launch.url).query)["launch"]
        with importlib.import_module("casino_client").Client(base_url=service.url) as browser:
            session = call("operators", "redeem_launch", browser, body=models.LaunchCodeRequest(code=code))
        table, credit = session.launch.table, {"amount": "100.00", "currency": "EUR", "money_type": "play"}
        operator(
            "wallet",
            "credit_sandbox_player",
            player=session.player,
            body=models.SandboxCreditRequest(**credit),
            idempotency_key=uuid4().hex,
        )
        player = partial(call, client=connect(session.token), table=table)
        seat = models.TakeSeatRequest(seat=1, buy_in="50.00", currency="EUR", money_type="play")
        player("baccarat", "take_seat", body=seat, idempotency_key=uuid4().hex)
        wager = models.DealRequest(stakes=[models.StakeRequest(spot="banker", amount="10.00")], currency="EUR")
        player("baccarat", "deal", body=wager, idempotency_key=uuid4().hex)

        found: list[Any] = []
        while not found:
            assert time.monotonic() < began + PATIENCE
            found = operator("baccarat", "list_rounds", player=session.player, table=table, status="settled").items
        (round_,) = found
        message = message_about(str(round_.id), theirs)
        verify(message, secret=webhook.secret)
        assert message.item["type"] == "baccarat.round.settled.v1"
    with capsys.disabled():
        print(f"\nA stranger's morning in Python took {time.monotonic() - began:.1f} s")


@needs_node
def test_a_stranger_embeds_a_table_bets_and_verifies_it_in_typescript(
    run_typescript: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    morning = run_typescript("morning", SITE)
    assert (morning["type"], morning["framed"]) == ("baccarat.round.settled.v1", True)
    assert morning["subject"] == f"rounds/{morning['round']}"
    with capsys.disabled():
        print(f"\nA stranger's morning in TypeScript took {time.monotonic() - began:.1f} s, once compiled")
