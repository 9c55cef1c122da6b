"""A wager is named by one id, from its confirmation to its last line in a statement."""

from typing import Any

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import Gambler, Tenant, bet, company, deal_all, sit
from tests.casino.feed.play import publish, read_all

VOID = {"reason": "malfunction", "note": "The camera failed."}


@pytest.fixture
def alice(lucky: Tenant) -> Gambler:
    return lucky.player("Alice")


def own_seat(round_: dict[str, Any], player: Gambler) -> dict[str, Any]:
    (seat,) = [seat for seat in round_["seats"] if seat["player"] == player.id]
    return seat


def lines(house: Tenant, player: Gambler, table: str) -> dict[str, str | None]:
    """Return which wager each kind of movement of a game balance names."""
    items = house.read(f"players/{player.id}/statement", account="game", table=table)["items"]
    return {line["kind"]: line["wager"] for line in items}


def test_one_id_names_a_wager_in_rounds_events_feeds_and_statements(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "atlantic_city", "Alice", "Bob")
    bet(bob, table, tie="5.00")
    bet(alice, table, banker="25.00")
    deal_all()
    (round_,) = alice.read("rounds")["items"]
    shown = lucky.read(f"rounds/{round_['id']}")
    (wager, bobs) = (own_seat(shown, each)["wager"] for each in (alice, bob))
    assert own_seat(shown, alice)["stakes"] == [{"spot": "banker", "amount": "25.00"}]
    assert wager != bobs
    assert [seat["wager"] for seat in round_["seats"] if seat["you"]] == [wager]

    change = lucky.do(f"rounds/{round_['id']}/void", VOID, person="ann")
    lucky.do(f"changes/{change['id']}/confirm", person="ben")

    events = {event["type"]: event["data"] for event in lucky.read(f"rounds/{round_['id']}/events")["items"]}
    assert events["WagerConfirmed"]["wager"] == wager  # the last of the two
    for name, lists in (("RoundSettled", "wagers"), ("RoundVoided", "seats")):
        assert {line["player"]: line["wager"] for line in events[name][lists]} == {alice.id: wager, bob.id: bobs}
    publish()
    told = {item["type"]: item["data"] for item in read_all(lucky) if wager in str(item["data"])}
    assert {"baccarat.wager.confirmed.v1", "baccarat.wager.settled.v1", "baccarat.round.voided.v1"} == set(told)
    assert told["baccarat.wager.settled.v1"]["wager"] == wager

    moved = lines(lucky, alice, table)
    assert [moved[kind] for kind in ("buy_in", "wager", "void")] == [None, wager, wager]
    assert lines(lucky, bob, table)["wager"] == bobs
    rows = fetch("SELECT id::text, player_id::text FROM baccarat_wager WHERE table_id = %s ORDER BY seat", [table])
    assert rows == [
        (wager, alice.id), (bobs, bob.id),
    ]  # fmt: skip


def test_a_repeated_request_names_the_same_wager(lucky: Tenant, alice: Gambler) -> None:
    table = lucky.table("mini")
    sit(alice, table)
    body = {"stakes": [{"spot": "banker", "amount": "25.00"}], "currency": "EUR"}

    first, again = (alice.do(f"tables/{table}/deal", body, key="one-bet") for _ in range(2))

    seat = next(seat for seat in first["round"]["seats"] if seat["you"])
    assert seat["wager"] is not None
    assert seat["wager"] == next(seat for seat in again["round"]["seats"] if seat["you"])["wager"]
    assert fetch("SELECT id::text FROM baccarat_wager WHERE player_id = %s", [alice.id]) == [(seat["wager"],)]


def test_a_round_is_found_by_its_wager_by_those_who_may_see_it(lucky: Tenant, golden: Tenant, alice: Gambler) -> None:
    bob, table = lucky.player("Bob"), lucky.table("mini")
    sit(alice, table)
    bet(alice, table, banker="25.00")
    (round_,) = alice.read("rounds")["items"]
    (wager,) = (seat["wager"] for seat in round_["seats"])

    for caller in (lucky, alice):
        assert [found["id"] for found in caller.read("rounds", wager=wager)["items"]] == [round_["id"]]
    assert lucky.read("rounds", wager=wager, table=table)["items"] == [lucky.read(f"rounds/{round_['id']}")]
    for caller in (golden, bob):
        assert caller.read("rounds", wager=wager)["items"] == []
    assert lucky.read("rounds", wager=round_["id"])["items"] == []
