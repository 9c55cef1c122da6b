"""Operators learn of each step with their own wallet, and of each wager that was not taken, with its amount."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import jsonschema
import msgspec
import pytest
from django.test import Client

from casino.events.sql import fetch
from tests.baccarat.api.people import bet, deal_all
from tests.baccarat.services.test_wagering import expire, post_bet, seated
from tests.casino.feed.play import publish, read_all, types_of
from tests.conftest import Database
from tests.wallet.remote.operators import WalletServer, begin_again, deliver, running_wallet, seamless_house
from wallet.feed import TYPES
from wallet.remote.events import WagerNotTaken

ID = UUID(int=1)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[WalletServer]:
    with running_wallet(tmp_path) as running:
        begin_again(running, monkeypatch)
        yield running


def test_each_step_with_an_own_wallet_is_an_item_as_its_schema_says(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    bet(ann, table, player="10.00", tie="5.00")  # never returns what was staked, so a void has to correct it
    round_ = ann.read(f"tables/{table}")["round"]["id"]
    deal_all()
    for behaviour in ("refuse", "apply_then_fail"):
        server.next("debit", behaviour)
        assert post_bet(ann, table).status_code in {409, 503}
    deliver()
    change = house.do(f"rounds/{round_}/void", {"reason": "malfunction", "note": "test"}, person="ann")
    house.do(f"changes/{change['id']}/confirm", person="bert")
    expire()
    deliver()
    publish()
    items = [item for item in read_all(house) if item["type"].startswith("wallet.remote.")]
    sealed = fetch("SELECT count(*) FROM events_event WHERE starts_with(stream, 'remote-') AND type <> 'WagerNotTaken'")
    assert ([(len(items),)], set(types_of(items))) == (
        sealed,
        {f"remote.{step}" for step in ("requested", "accepted", "refused", "rollback_requested", "rolled_back")},
    )
    for item in items:
        jsonschema.validate(item["data"], Client().get(item["dataschema"]).json(), cls=jsonschema.Draft202012Validator)
        if "amount" in item["data"]:
            assert (item["data"]["player"], item["data"]["currency"]) == (ann.id, "EUR")
    corrections = [item["data"]["amount"] for item in items if item["data"].get("kind") == "correction"]
    assert corrections
    assert all(float(amount) for amount in corrections)


def test_a_wager_that_was_not_taken_is_an_item_with_the_reason(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    for behaviour in ("refuse", "apply_then_fail", "obey"):
        server.next("debit", behaviour)
        post_bet(ann, table)
    publish()
    items = read_all(house, types="wager.*")
    told = [(item["type"], item["data"].get("code")) for item in items]
    assert told == [
        ("wallet.wager.not_taken.v1", "limit_reached"),
        ("wallet.wager.not_taken.v1", "no_answer"),
        ("baccarat.wager.confirmed.v1", None),
    ]
    round_ = items[-1]["data"]["round"]
    for item in items[:2]:
        data = item["data"]
        assert (item["subject"], data["round"], data["table"], data["player"]) == (
            f"rounds/{round_}",
            round_,
            table,
            ann.id,
        )
        assert (data["amount"], data["currency"]) == ("10.00", "EUR")


@pytest.mark.parametrize(("currency", "amount", "text"), [("JPY", 500, "500"), ("KWD", 1250, "1.250")])
def test_amounts_have_the_decimals_of_their_currency(currency: str, amount: int, text: str) -> None:
    event = WagerNotTaken(ID, ID, ID, ID, currency, ID, ID, amount, "no_answer", datetime.now(UTC))
    (kind,) = [each for each in TYPES if each.event is WagerNotTaken]
    ((_, data),) = kind.items(event, {})
    assert msgspec.json.decode(data)["amount"] == text
