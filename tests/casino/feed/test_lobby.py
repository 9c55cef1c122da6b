"""An operator draws its own lobby from the feed, and reads the same by its key."""

from typing import Any

from tests.baccarat.api.people import Tenant, bet, company, deal_all
from tests.casino.feed.play import publish, read_all

LINE_TYPES = "table.*,seat.*,round.*,rules.took_effect"
PHASES = {"round.opened": "betting", "round.betting_closed": "closed"}
LIMITS = ("preset", "currency", "seats", "chips", "minimum", "maximum", "turn_seconds")


def lobby_of(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Draw a lobby of items alone: limits, taken seats, the phase and the last outcome of each open table."""
    lines: dict[str, dict[str, Any]] = {}
    for item in items:
        name, data = item["type"].split(".", 1)[1].removesuffix(".v1"), item["data"]
        if name == "table.opened":
            lines[data["table"]] = {"limits": {key: data[key] for key in LIMITS}, "taken": set(), "phase": None}
        line = lines.get(data["table"])
        if line is None:
            continue
        if name == "rules.took_effect":
            line["limits"] = {key: data[key] for key in LIMITS}
        elif name == "seat.taken":
            line["taken"].add(data["seat"])
        elif name in {"seat.left", "seat.released"}:
            line["taken"].discard(data["seat"])
        elif name == "seat.changed":
            line["taken"].symmetric_difference_update({data["from_seat"], data["to_seat"]})
        elif name in {"table.closing", "table.closed"}:
            del lines[data["table"]]
        elif name.startswith("round."):
            line["phase"] = PHASES.get(name)
    return lines


def read_lobby(house: Tenant) -> dict[str, dict[str, Any]]:
    """Return the same of the lobby as it is read."""
    return {
        line["id"]: {
            "limits": {key: line[key] for key in LIMITS},
            "taken": set(range(1, line["seats"] + 1)) - set(line["free_seats"]),
            "phase": line["phase"],
        }
        for line in house.read("lobby")["items"]
    }


def test_the_feed_alone_draws_the_lobby_that_the_key_reads(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    empty, closing = lucky.table("mini"), lucky.table("mini")
    lucky.do(f"tables/{closing}/close", {"reason": "Tired"})
    publish()
    before = lobby_of(read_all(lucky, types=LINE_TYPES))
    assert set(before) == {table, empty}
    assert before == read_lobby(lucky)
    assert len(before[table]["taken"]) == 2

    bet(alice, table, banker="25.00")
    bet(bob, table, player="25.00")
    deal_all()
    bob.do(f"tables/{table}/leave")
    publish()
    after = lobby_of(read_all(lucky, types=LINE_TYPES))
    assert after == read_lobby(lucky)
    assert len(after[table]["taken"]) == 1


def test_the_lobby_by_key_is_the_own_operators_alone_and_names_no_player(lucky: Tenant, golden: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    golden.table("mini")
    answer = lucky.get("lobby")
    assert [line["id"] for line in answer.json()["items"]] == [table]
    assert alice.id not in answer.text
    (line,) = answer.json()["items"]
    assert (line["you"], line["last_visited_at"]) == (None, None)
