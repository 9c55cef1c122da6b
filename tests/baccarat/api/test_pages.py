"""Lists in pages without gaps or repeats while play goes on, at a cost that does not grow with what they show."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.baccarat.api.people import Caller, Gambler, Tenant, bet, company, deal_all, sit


def play(player: Gambler, table: str, rounds: int) -> None:
    for _ in range(rounds):
        bet(player, table, player="5.00")
        deal_all()


def cost(caller: Caller, path: str, **query: Any) -> int:
    """How many queries a read takes."""
    with CaptureQueriesContext(connection) as queries:
        caller.read(path, **query)
    return len(queries)


@pytest.mark.parametrize("path", ["rounds", "tables/{table}/rounds"])
@pytest.mark.parametrize("who", ["the operator", "the player"])
def test_rounds_come_in_pages_without_gaps_or_repeats_while_new_ones_begin(lucky: Tenant, path: str, who: str) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    play(alice, table, 5)
    caller: Caller = lucky if who == "the operator" else alice
    address = path.format(table=table)
    page = caller.read(address, limit=2)
    seen = list(page["items"])
    while page["next"] is not None:
        play(alice, table, 1)
        page = caller.read(address, limit=2, cursor=page["next"])
        seen.extend(page["items"])
    assert [round_["number"] for round_ in seen] == [5, 4, 3, 2, 1]
    assert [round_["number"] for round_ in caller.pages(address)] == [7, 6, 5, 4, 3, 2, 1]


def test_a_page_that_is_just_full_is_the_last(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    play(alice, table, 2)
    page = alice.read("rounds", limit=2)
    assert (len(page["items"]), page["next"]) == (2, None)


def test_a_cursor_continues_its_own_list_by_its_own_filters_alone(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    play(alice, table, 3)
    cursor = lucky.read("rounds", limit=1)["next"]
    assert len(lucky.read("rounds", limit=2, cursor=cursor)["items"]) == 2
    others = {"rounds": {"table": table}, f"tables/{table}/rounds": {}, "players": {}, "transfers": {}}
    for path, filters in others.items():
        answer = lucky.get(path, cursor=cursor, **filters)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor"), path


def test_tables_come_in_pages_in_the_order_they_were_opened(lucky: Tenant) -> None:
    opened = [lucky.table("mini", name=f"Table {number}") for number in range(5)]
    alice = lucky.player("Alice")
    page = lucky.read("tables", limit=2)
    seen = list(page["items"])
    late = lucky.table("classic")
    while page["next"] is not None:
        page = lucky.read("tables", limit=2, cursor=page["next"])
        seen.extend(page["items"])
    assert [table["id"] for table in seen] == [*opened, late]
    assert [table["id"] for table in alice.pages("tables")] == [*opened, late]
    assert [table["name"] for table in seen[:5]] == [f"Table {number}" for number in range(5)]


def test_a_tables_line_counts_who_sits(lucky: Tenant) -> None:
    table, _ = company(lucky, "atlantic_city", "Alice", "Bob")
    (line,) = lucky.read("tables")["items"]
    assert (line["id"], line["seats"], line["seats_taken"], line["preset"]) == (table, 5, 2, "atlantic_city")


def test_events_of_a_round_are_all_there_in_order_of_their_versions(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(60):
        alice.do(f"tables/{table}/place", {"spot": "tie", "amount": "5.00", "currency": "EUR"})
    round_ = alice.read(f"tables/{table}")["round"]["id"]
    events = lucky.read(f"rounds/{round_}/events")["items"]
    assert [event["version"] for event in events] == list(range(1, 62))


def test_reads_cost_the_same_however_much_they_show(lucky: Tenant) -> None:
    alone = lucky.table("mini")
    alice = lucky.player("Alice")
    sit(alice, alone)
    play(alice, alone, 1)
    addresses = ("rounds", "tables", f"tables/{alone}/rounds", f"tables/{alone}")
    alice.read(addresses[-1])  # from now on it is remembered which brands the table is for
    few = {(who.credential, path): cost(who, path) for who in (lucky, alice) for path in addresses}
    play(alice, alone, 4)
    for _ in range(3):
        lucky.table("mini")
    many = {(who.credential, path): cost(who, path) for who in (lucky, alice) for path in addresses}
    assert many == few
    assert max(many.values()) <= 6


def test_a_full_table_costs_no_more_than_an_empty_one(lucky: Tenant) -> None:
    empty = lucky.table("big_table")
    table, players = company(lucky, "big_table", "Alice", "Bob", "Carol", "Dan")
    for player in players:
        bet(player, table, banker="25.00")
    deal_all()
    last = lucky.read(f"tables/{table}")["last_round"]["id"]
    # One query more for the events of the round in hand and the last one, and one for nicknames.
    assert cost(lucky, f"tables/{table}") == cost(lucky, f"tables/{empty}") + 2
    assert (cost(lucky, f"rounds/{last}"), cost(lucky, f"rounds/{last}/events")) == (3, 3)
