"""Facts that are no events are announced in the transaction that records them, and are in the feed once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import jsonschema
import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from casino.events import announcements, sealer
from casino.events.sql import execute, fetch
from casino.feed import writer
from casino.operators import sessions
from casino.operators.sessions import SessionStarted
from casino.significant import recorder
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind
from tests.baccarat.api.people import Gambler, Tenant
from tests.casino.feed.play import publish, read_all, stored
from wallet.responsible_gaming import reminders

BACKDATE = """
UPDATE operators_playersession
   SET created_at = created_at - %(by)s, reality_check_at = reality_check_at - %(by)s,
       last_used_at = last_used_at - %(unused)s, expires_at = expires_at - %(past)s
 WHERE player_id = %(player)s AND ended_at IS NULL
"""


def told(house: Tenant, name: str) -> list[dict[str, Any]]:
    """Publish, and return the items of one type, each of which is what its schema says."""
    publish()
    items = read_all(house, types=name)
    for item in items:
        schema = Client().get(item["dataschema"]).json()
        jsonschema.validate(item["data"], schema, cls=jsonschema.Draft202012Validator)
    return items


def shift(
    player: Gambler,
    by: timedelta = timedelta(),
    *,
    unused: timedelta = timedelta(),
    past: timedelta = timedelta(),
) -> None:
    """Let a player's session have begun, been used and end so much earlier."""
    execute(BACKDATE, {"player": player.id, "by": by, "unused": unused, "past": past})


def log_in(house: Tenant, player: Gambler) -> str:
    return str(house.do(f"players/{player.id}/sessions", {"ttl_seconds": 3600})["token"])


def test_a_session_is_in_the_feed_from_its_login_to_its_end(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    log_in(lucky, alice)
    started = told(lucky, "session.started")
    assert [item["subject"] for item in started] == [f"players/{alice.id}"] * 2
    assert started[0]["data"]["player"] == alice.id
    (ended,) = told(lucky, "session.ended")
    assert ended["data"]["ended_by"] == "taken_over"
    assert ended["data"]["started_at"] == started[0]["data"]["started_at"]
    assert started[0]["number"] < ended["number"] < started[1]["number"]


def test_a_logout_and_a_removal_end_sessions_in_the_feed_once(lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    assert alice.send("delete", "sessions/current").status_code == 204
    sessions.ban_player(operator=UUID(lucky.id), player=UUID(bob.id), until=None)
    sessions.ban_player(operator=UUID(lucky.id), player=UUID(bob.id), until=None)
    ends = {item["data"]["player"]: item["data"]["ended_by"] for item in told(lucky, "session.ended")}
    assert ends == {alice.id: "ended", bob.id: "removed"}
    assert len(told(lucky, "session.ended")) == 2


def test_a_session_that_is_over_ends_in_the_feed_as_of_its_end(lucky: Tenant) -> None:
    alice, bob, carol = (lucky.player(name) for name in ("Alice", "Bob", "Carol"))
    shift(alice, timedelta(hours=2), past=timedelta(hours=2))
    shift(bob, timedelta(hours=2), unused=timedelta(seconds=settings.PLAYER_IDLE_SECONDS + 60))
    while sessions.end_sessions_that_are_over(limit=1):
        pass
    ended = {item["data"]["player"]: item["data"] for item in told(lucky, "session.ended")}
    assert {player: data["ended_by"] for player, data in ended.items()} == {alice.id: "expired", bob.id: "timed_out"}
    ((expired_at, ended_at),) = fetch(
        "SELECT expires_at, ended_at FROM operators_playersession WHERE player_id = %s", [alice.id]
    )
    assert ended_at == expired_at
    assert carol.get("me/balances").status_code == 200
    assert alice.get("me/balances").json()["code"] == "token_expired"
    assert bob.get("me/balances").json()["code"] == "session_timed_out"


def test_fifty_at_once_end_a_session_once(lucky: Tenant, in_threads: Callable[..., list[Any]]) -> None:
    alice = lucky.player("Alice")
    shift(alice, timedelta(hours=2), past=timedelta(hours=2))
    results = in_threads(8, lambda _: sessions.end_sessions_that_are_over())
    assert all(isinstance(result, int) for result in results), results
    assert len(told(lucky, "session.ended")) == 1


def test_a_significant_event_is_in_its_operators_feed_without_its_reason_and_its_people(
    lucky: Tenant, golden: Tenant
) -> None:
    recorder.record(
        kind=SignificantEventKind.LARGE_WIN,
        operator=UUID(lucky.id),
        subject="round:1",
        actor="staff:7",
        reason="They whispered",
        amount=1_250_000,
        currency="EUR",
        dedup_key=f"once-{lucky.id}",
    )
    recorder.record(
        kind=SignificantEventKind.LARGE_WIN,
        operator=UUID(lucky.id),
        subject="round:1",
        actor="staff:7",
        dedup_key=f"once-{lucky.id}",
    )
    (item,) = [each for each in told(lucky, "significant.*") if each["data"]["kind"] == "large_win"]
    assert item["subject"] == f"significant-events/{item['data']['event']}"
    assert (item["data"]["amount"], item["data"]["currency"]) == ("12500.00", "EUR")
    assert (item["data"]["severity"], item["data"]["about"]) == ("notice", "round:1")
    assert "whispered" not in str(item)
    assert "staff:7" not in str(item)
    assert [each for each in told(golden, "significant.*") if each["data"]["kind"] == "large_win"] == []


def test_an_event_of_the_whole_installation_is_in_every_feed_if_operators_may_see_it(
    lucky: Tenant, golden: Tenant
) -> None:
    recorder.record_many(
        NewSignificantEvent(kind=kind, operator=None, subject="installation", actor="system")
        for kind in (SignificantEventKind.CLOCK_CHANGED, SignificantEventKind.LOGIN_LOCKED)
    )
    for house in (lucky, golden):
        kinds = [item["data"]["kind"] for item in told(house, "significant.raised")]
        assert "clock_changed" in kinds
        assert "access_locked" not in kinds


def test_a_report_is_in_the_feed_once_for_each_version(lucky: Tenant) -> None:
    sealer.seal_all()
    body = {"name": "revenue", "period": "day", "date": "2026-11-20"}
    report = lucky.do("reports", body)
    lucky.do("reports", body)  # the same contents
    (item,) = told(lucky, "report.made")
    assert item["subject"] == f"reports/{report['id']}"
    data = item["data"]
    assert (data["name"], data["version"], data["sha256"]) == ("revenue", 1, report["sha256"])


def test_a_reality_check_is_announced_once_when_it_is_due(lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    reminders.announce_reality_checks()
    assert told(lucky, "reality_check.due") == []
    shift(alice, timedelta(minutes=61))
    for _ in range(3):
        reminders.announce_reality_checks()
    (item,) = told(lucky, "reality_check.due")
    assert (item["data"]["player"], item["data"]["minutes"]) == (alice.id, 60)
    alice.do("me/reality-check", {"minutes": 30})
    shift(alice, timedelta(minutes=30))
    reminders.announce_reality_checks()
    due = told(lucky, "reality_check.due")
    assert [each["data"]["minutes"] for each in due] == [60, 30]
    assert bob.id not in str(due)


def test_no_reality_check_is_due_in_a_session_that_is_over(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    shift(alice, timedelta(hours=2), past=timedelta(hours=2))
    reminders.announce_reality_checks()
    assert told(lucky, "reality_check.due") == []


def test_what_is_undone_is_not_announced(lucky: Tenant) -> None:
    publish()
    before = stored(lucky)
    fact = SessionStarted(UUID(int=1), None, *fetch("SELECT now(), now()")[0])

    with transaction.atomic():
        announcements.announce(fact, operator=UUID(lucky.id))
        transaction.set_rollback(True)
    publish()
    assert stored(lucky) == before


def test_a_writer_that_fails_loses_no_announcement_and_writes_none_twice(
    lucky: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish()
    before = len(stored(lucky))
    lucky.player("Alice")
    sealer.seal_all()
    with monkeypatch.context() as broken:
        broken.setattr(writer.subscriptions, "save_position", None)
        with pytest.raises(TypeError):
            writer.write_new_items()
    assert len(stored(lucky)) == before
    assert len(told(lucky, "session.started")) == 1
    numbers = [number for number, _ in stored(lucky)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_an_announcement_that_cant_be_read_is_named_and_hides_none_after_it(lucky: Tenant) -> None:
    execute(
        "INSERT INTO events_announcement (operator_id, type, data) "
        "VALUES (%s, 'SessionStarted', '{}'), (%s, 'NotKnown', '{}')",
        [lucky.id, lucky.id],
    )
    lucky.player("Alice")
    names = [item["type"] for item in told(lucky, "session.started")]
    assert names == ["casino.feed.item_missing.v1", "casino.feed.item_missing.v1", "casino.session.started.v1"]
