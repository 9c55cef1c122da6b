"""Sealed events find their tables, and say to each viewer what that one may see."""

import json

import pytest

from baccarat.streaming import notifications
from baccarat.streaming.notifications import LiveEventBuilder
from casino.events import sealer, subscriptions
from tests.baccarat.api.people import Tenant, bet, company, deal_all


def test_every_event_of_a_table_and_its_rounds_finds_it(lucky: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "MAX_CACHED_ROUNDS", 1)
    before = subscriptions.head()
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    for _ in range(3):
        for player in (alice, bob):
            bet(player, table, banker="25.00")
        deal_all()
    sealer.seal_all()
    sealed = subscriptions.read_sealed(before, 1000)
    places = LiveEventBuilder()
    whole = LiveEventBuilder().build(sealed)
    piecewise = [places.build([each])[0] for each in sealed]
    for found in (whole, piecewise):
        of_the_table = [each for each in found if each.table is not None]
        assert {str(each.table) for each in of_the_table} == {table}
        streams = {each.stream for each in sealed if each.stream.startswith(("table-", "round-"))}
        assert len(of_the_table) == sum(each.stream in streams for each in sealed)
    assert [each.payload_for(alice.id) for each in whole] == [each.payload_for(alice.id) for each in piecewise]


def test_what_is_told_is_written_once_for_all_whom_it_does_not_name(lucky: Tenant) -> None:
    before = subscriptions.head()
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    bet(alice, table, tie="25.00")
    sealer.seal_all()
    (confirmed,) = [
        each
        for each in LiveEventBuilder().build(subscriptions.read_sealed(before, 1000))
        if each.type == "WagerConfirmed"
    ]
    assert confirmed.payload_for(bob.id) is confirmed.payload_for(lucky.id)
    own, other = (json.loads(confirmed.payload_for(who.id).split(b"data: ")[1])["data"] for who in (alice, bob))
    assert {**other, "player": alice.id} == own
    assert str(confirmed.table) == table
