"""Concurrent chat requests: the rate is exact, and nothing passes a mute or a ban."""

from collections.abc import Callable
from typing import Any

from baccarat.audit import engine
from casino.events.sql import fetch
from tests.baccarat.api.people import Tenant, sit, tenant
from tests.conftest import Database

InThreads = Callable[..., list[Any]]


def seat_alice() -> tuple[Tenant, Any, str]:
    lucky = tenant("lucky")
    table, alice = lucky.table("big_table"), lucky.player("Alice")
    sit(alice, table)
    return lucky, alice, table


def test_of_fifty_concurrent_messages_five_are_sent(database: Database, in_threads: InThreads) -> None:
    _, alice, table = seat_alice()
    answers = in_threads(50, lambda number: alice.post(f"tables/{table}/chat", {"text": f"Message {number}"}))
    assert sorted(answer.status_code for answer in answers) == [201] * 5 + [409] * 45
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"too_many_messages"}
    assert fetch("SELECT count(*) FROM chat_chatmessage") == [(5,)]
    assert fetch("SELECT count(*) FROM events_event WHERE type = 'ChatMessageSent'") == [(5,)]


def test_a_message_with_one_idempotency_key_is_sent_once(database: Database, in_threads: InThreads) -> None:
    _, alice, table = seat_alice()
    path = f"tables/{table}/chat"
    answers = in_threads(20, lambda _: alice.post(path, {"text": "Hello"}, key="one"))
    assert {answer.content for answer in answers} == {answers[0].content}
    assert fetch("SELECT count(*) FROM chat_chatmessage") == [(1,)]


def test_no_message_is_sent_after_a_concurrent_mute(database: Database, in_threads: InThreads) -> None:
    lucky, alice, table = seat_alice()

    def act(number: int) -> Any:
        if number == 3:
            return lucky.post(f"players/{alice.id}/mute", {"reason": "spam", "minutes": 5})
        return alice.post(f"tables/{table}/chat", {"text": f"Message {number}"})

    answers = in_threads(12, act)
    assert answers[3].status_code == 200
    codes = {answer.json().get("code") for answer in answers if answer.status_code >= 400}
    assert codes <= {"player_is_muted", "too_many_messages"}
    ((mute,),) = fetch("SELECT version FROM events_event WHERE type = 'PlayerMuted'")
    sent = fetch("SELECT count(*) FROM chat_chatmessage")[0][0]
    assert mute == sent + 1
    assert [each.kind for each in engine.run_audit().findings] == []


def test_a_concurrent_login_does_not_survive_a_ban(database: Database, in_threads: InThreads) -> None:
    lucky, alice, _ = seat_alice()

    def act(number: int) -> Any:
        if number == 4:
            return lucky.post(f"players/{alice.id}/ban", {"reason": "cheating", "minutes": 60})
        return lucky.post(f"players/{alice.id}/sessions", {})

    answers = in_threads(12, act)
    assert answers[4].status_code == 200
    refused = [answer.json()["code"] for answer in answers if answer.status_code == 403]
    assert set(refused) <= {"player_banned"}
    assert fetch("SELECT count(*) FROM operators_playersession WHERE ended_at IS NULL") == [(0,)]
