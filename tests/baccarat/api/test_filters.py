"""Lists by player, table, time, status and rules, each within one operator."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from casino.operators import sessions
from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all, sit


@pytest.fixture
def alice(lucky: Tenant) -> Gambler:
    return lucky.player("Alice")


def played(player: Gambler, table: str) -> str:
    """Play one round at a table where nobody sits, and return its id."""
    sit(player, table)
    bet(player, table, player="5.00")
    deal_all()
    player.do(f"tables/{table}/leave")
    (round_, *_) = player.read("rounds", table=table)["items"]
    return str(round_["id"])


def ids(page: dict[str, Any]) -> list[str]:
    return [item["id"] for item in page["items"]]


def test_rounds_are_listed_by_player_table_status_and_rules(lucky: Tenant, alice: Gambler) -> None:
    bob, mini, classic = lucky.player("Bob"), lucky.table("mini"), lucky.table("classic")
    alices, bobs = played(alice, mini), played(bob, classic)
    sit(bob, mini)
    bet(bob, mini, player="5.00")
    running = bob.read(f"tables/{mini}")["round"]["id"]

    def listed(**query: str) -> set[str]:
        return {each["id"] for each in lucky.pages("rounds", **query)}

    assert listed(player=alice.id) == {alices}
    assert listed(player=bob.id) == {bobs, running}
    assert {alices, running} <= listed(table=mini)
    assert bobs not in listed(table=mini)
    assert listed(status="settled") == {alices, bobs}
    assert listed(status="running") == {running}
    assert listed(status="voided") == set()
    digest = lucky.read(f"rounds/{bobs}")["rules"]
    assert bobs in listed(rules=digest)
    assert listed(rules=digest).isdisjoint({alices, running})
    assert listed(player=bob.id, table=mini) == {running}
    assert listed(player=alice.id, table=classic) == set()
    assert ids(alice.read("rounds", player=alice.id, status="settled")) == [alices]
    assert ids(alice.read("rounds", player=bob.id)) == []


def test_rounds_are_listed_by_the_time_when_they_opened(lucky: Tenant, alice: Gambler) -> None:
    round_ = played(alice, lucky.table("mini"))
    opened = lucky.read(f"rounds/{round_}")["opened_at"]
    moment = datetime.fromisoformat(opened)

    def listed(**query: datetime) -> list[str]:
        period = {{"since": "from", "until": "to"}[name]: time.isoformat() for name, time in query.items()}
        return ids(lucky.read("rounds", status="settled", **period))

    assert listed(since=moment) == [round_]
    assert listed(since=moment + timedelta(microseconds=1)) == []
    assert listed(until=moment) == []
    assert listed(since=moment, until=moment + timedelta(microseconds=1)) == [round_]
    assert ids(lucky.read("rounds", **{"from": "0001-01-01", "to": "9999-12-31T23:59:59.999999Z"}))


@pytest.mark.parametrize("path", ["rounds", "deposits", "withdrawals"])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"from": "2026-03-02", "to": "2026-03-01"}, "period_reversed"),
        ({"from": "yesterday"}, "field_invalid"),
        ({"status": "great"}, "unknown_choice"),
        ({"since": "2026-03-01"}, "unknown_parameter"),
    ],
)
def test_a_list_says_what_is_wrong_with_its_parameters(lucky: Tenant, path: str, query: Any, code: str) -> None:
    answer = lucky.get(path, **query)
    assert (answer.status_code, answer.json()["code"]) == (400 if code == "unknown_parameter" else 422, code)


@pytest.mark.parametrize("query", [{"player": "alice"}, {"table": "1"}, {"rules": "x" * 65}, {"rules": "a\x00b"}])
def test_rounds_refuse_what_is_no_id_and_no_version(lucky: Tenant, query: Any) -> None:
    assert lucky.get("rounds", **query).status_code == 422


def test_what_another_operator_has_is_selected_by_nobody_else(lucky: Tenant, golden: Tenant, alice: Gambler) -> None:
    table = lucky.table("mini")
    first, round_ = played(alice, table), played(alice, table)
    charlie, rules = golden.player("Charlie"), lucky.read(f"rounds/{round_}")["rules"]
    everything: list[dict[str, str]] = [
        {"player": alice.id}, {"table": table}, {"status": "settled"}, {"rules": rules}, {"from": "2020-01-01"},
    ]  # fmt: skip
    for query in everything:
        for caller in (golden, charlie):
            assert caller.read("rounds", **query) == {"items": [], "next": None}
    cursor = lucky.read("rounds", limit=1, table=table)["next"]
    assert golden.read("rounds", cursor=cursor, table=table) == {"items": [], "next": None}
    assert ids(lucky.read("rounds", table=table, cursor=cursor)) == [first]
    assert ids(lucky.read("rounds", table=table, limit=1)) == [round_]


def test_players_are_listed_by_what_keeps_them_from_playing(lucky: Tenant, golden: Tenant) -> None:
    free, stopped, excluded, banned = (lucky.player(name) for name in ("Free", "Stopped", "Excluded", "Banned"))
    lucky.do("stops", {"scope": "player", "subject": stopped.id, "reason": "Asked to pause."})
    for player in (excluded, stopped):
        player.do("me/exclusions", {"kind": "cooling_off", "hours": 24})
    sessions.save_ban(player=UUID(banned.id), until=None)

    def listed(who: Tenant, restriction: str) -> list[str]:
        return ids(who.read("players", restriction=restriction))

    assert listed(lucky, "stopped") == [stopped.id]
    assert sorted(listed(lucky, "excluded")) == sorted([stopped.id, excluded.id])
    assert listed(lucky, "banned") == [banned.id]
    shown = {each["id"]: each["restrictions"] for each in lucky.read("players")["items"]}
    assert shown == {
        free.id: [], stopped.id: ["excluded", "stopped"], excluded.id: ["excluded"], banned.id: ["banned"],
    }  # fmt: skip
    assert lucky.read(f"players/{banned.id}")["restrictions"] == ["banned"]
    for restriction in ("stopped", "excluded", "banned"):
        assert listed(golden, restriction) == []
    reference = lucky.read(f"players/{banned.id}")["reference"]
    assert ids(lucky.read("players", reference=reference, restriction="banned")) == [banned.id]
    assert ids(lucky.read("players", reference=reference, restriction="stopped")) == []
    assert golden.read("players", reference=reference)["items"] == []
    assert lucky.read("players", reference=uuid4().hex)["items"] == []
