"""Numbers have no gaps, whoever writes them and whatever dies; each item is what its schema says."""

import time
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from django.test import Client

from casino.events import sealer, subscriptions
from casino.events.codec import EventRegistry, MalformedEvent
from casino.events.sql import execute, fetch
from casino.feed import queries, types, writer
from tests.baccarat.api.people import Tenant, bet, company, deal_all
from tests.casino.feed.play import play, publish, read_all, stored, text_of, types_of


def test_a_round_is_told_from_its_opening_to_each_wagers_result(lucky: Tenant) -> None:
    table = play(lucky)
    items = read_all(lucky)
    assert [item["number"] for item in items] == list(range(1, len(items) + 1))
    names = types_of(items)
    for name in (
        "player.account_opened",
        "table.opened",
        "seat.taken",
        "round.opened",
        "wager.confirmed",
        "round.settled",
        "wager.settled",
    ):
        assert name in names, name
    settled = next(item for item in items if item["type"] == "baccarat.round.settled.v1")
    wager = items[settled["number"]]
    assert wager["type"] == "baccarat.wager.settled.v1"
    assert settled["subject"] == wager["subject"] == f"rounds/{settled['data']['round']}"
    assert settled["data"]["table"] == table
    assert len(settled["data"]["cards"]) in {4, 5, 6}
    assert wager["data"]["staked"] == "25.00"


def test_each_item_is_what_its_schema_says(lucky: Tenant) -> None:
    play(lucky, rounds=3)
    for item in read_all(lucky):
        schema = Client().get(item["dataschema"])
        assert schema.status_code == 200
        jsonschema.validate(item["data"], schema.json(), cls=jsonschema.Draft202012Validator)


def test_every_type_has_a_schema_and_an_example_of_it() -> None:
    for name in types.feed_types():
        schema = queries.schema_of(name)
        assert schema is not None
        jsonschema.Draft202012Validator.check_schema(schema)


def test_four_tables_and_four_writers_leave_no_gap_and_no_repeat(
    lucky: Tenant, golden: Tenant, in_threads: Callable[..., list[Any]]
) -> None:
    houses = [lucky, golden, lucky, golden]
    seats = [company(house, "mini", "Alice") for house in houses]

    def act(number: int) -> int:
        if number < 4:
            table, (player,) = seats[number]
            for _ in range(4):
                bet(player, table, banker="25.00")
                deal_all()
            return 0
        total = 0
        until = time.monotonic() + 3
        while time.monotonic() < until:
            sealer.seal_once()
            total += writer.write_new_items(limit=7)
        return total

    results = in_threads(8, act)
    assert all(isinstance(result, int) for result in results), results
    publish()
    for house in (lucky, golden):
        rows = stored(house)
        assert [number for number, _ in rows] == list(range(1, len(rows) + 1))
        settled = fetch(
            "SELECT count(*) FROM events_event WHERE type = 'RoundSettled' AND stream IN "
            "(SELECT 'round-' || id FROM baccarat_round WHERE operator_id = %s)",
            [house.id],
        )
        assert sum(kind == "baccarat.round.settled.v1" for _, kind in rows) == settled[0][0] == 8


def test_no_card_and_no_seed_comes_before_the_settlement(lucky: Tenant) -> None:
    table, (alice,) = company(lucky, "mini", "Alice")
    bet(alice, table, banker="25.00")
    publish()
    running = lucky.read(f"tables/{table}")["round"]["id"]
    before = text_of([item for item in read_all(lucky) if item["subject"] == f"rounds/{running}"])
    assert "wager.confirmed" in before
    assert '"cards"' not in before
    assert '"seed"' not in before
    deal_all()
    publish()
    assert '"cards"' in text_of([item for item in read_all(lucky) if item["subject"] == f"rounds/{running}"])


def test_items_name_no_person(lucky: Tenant) -> None:
    _, (alice, bob) = company(lucky, "big_table", "Alicia the Great", "Bob")
    publish()
    rows = fetch("SELECT data::text FROM feed_feeditem WHERE operator_id = %s", [lucky.id])
    text = "".join(row[0] for row in rows)
    assert "Alicia" not in text
    assert alice.id in text
    assert bob.id in text


def test_an_event_that_cant_be_read_leaves_no_gap_hides_none_after_it_and_is_named(
    lucky: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = EventRegistry.decode

    def damaged(registry: EventRegistry, name: str, schema: int, data: str) -> Any:
        if name == "RoundSettled":
            raise MalformedEvent("no outcome")
        return decode(registry, name, schema, data)

    monkeypatch.setattr(EventRegistry, "decode", damaged)
    table, (alice,) = company(lucky, "mini", "Alice")
    with monkeypatch.context() as sound:
        sound.setattr(EventRegistry, "decode", decode)
        bet(alice, table, banker="25.00")
        deal_all()
    publish()

    items = read_all(lucky)
    assert [item["number"] for item in items] == list(range(1, len(items) + 1))
    assert "wager.confirmed" in types_of(items)
    assert "round.settled" not in types_of(items)
    (notice,) = [item for item in items if item["type"] == "casino.feed.item_missing.v1"]
    assert notice in read_all(lucky, types="deposit.*")
    assert notice["data"]["about"].startswith("round-")
    assert notice["data"]["types"] == ["baccarat.round.settled.v1", "baccarat.wager.settled.v1"]
    jsonschema.validate(notice["data"], Client().get(notice["dataschema"]).json())


def test_an_event_without_facts_is_named_too(lucky: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baccarat.feed.fetch", lambda *_: [])  # items of rounds and tables can't be made
    play(lucky)
    names = types_of(read_all(lucky))
    assert "player.account_opened" in names
    assert "feed.item_missing" in names
    assert "round.settled" not in names


def items_of_the_log(house: Tenant) -> list[tuple[Any, ...]]:
    """Return the items that were not announced, without their numbers."""
    rows = """
        SELECT position, type, subject, time, data::text FROM feed_feeditem
         WHERE operator_id = %s AND position IS NOT NULL ORDER BY number
    """
    return fetch(rows, [house.id])


def test_the_feed_is_what_the_log_says_when_written_again(lucky: Tenant) -> None:
    play(lucky, rounds=2)
    before = items_of_the_log(lucky)
    execute("DELETE FROM feed_feeditem")
    execute("DELETE FROM feed_feedhead")
    execute("UPDATE events_subscription SET position = 0 WHERE name = %s", [writer.SUBSCRIBER])
    publish()
    assert items_of_the_log(lucky) == before
    assert subscriptions.subscriber_position(writer.SUBSCRIBER) == subscriptions.head()
