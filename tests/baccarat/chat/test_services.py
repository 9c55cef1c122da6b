"""Chat at a table over HTTP: who may write, what is masked, what is refused, and at what rate."""

import json
from typing import Any

import pytest
from django.test import Client

from casino.events.sql import fetch
from tests.baccarat.api.people import JSON, NOWHERE, Gambler, Tenant, sit, tenant
from tests.support.scripts import SENTENCES

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucky() -> Tenant:
    return tenant("lucky")


@pytest.fixture
def table(lucky: Tenant) -> str:
    return lucky.table("big_table")


@pytest.fixture
def alice(lucky: Tenant, table: str) -> Gambler:
    alice = lucky.player("Alice")
    sit(alice, table, 2)
    return alice


@pytest.fixture
def bob(lucky: Tenant, table: str) -> Gambler:
    bob = lucky.player("Bob")
    sit(bob, table, 5)
    return bob


def say(player: Gambler, table: str, text: Any, **more: Any) -> Any:
    return player.post(f"tables/{table}/chat", {"text": text}, **more)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def chat(player: Gambler, table: str, **query: Any) -> Any:
    return player.read(f"tables/{table}/chat", **query)


def set_open(player: Gambler, table: str, value: Any) -> Any:
    return player.send("put", f"tables/{table}/chat/open", data={"open": value}, content_type=JSON)


def test_a_message_is_read_by_everyone_at_the_table_with_its_seat(alice: Gambler, bob: Gambler, table: str) -> None:
    sent = say(alice, table, "  Good e\u0301vening  ")
    assert sent.status_code == 201
    assert (sent.json()["text"], sent.json()["seat"], sent.json()["you"]) == ("Good \u00e9vening", 2, True)
    (seen,) = chat(bob, table)["items"]
    assert seen == {**sent.json(), "you": False}
    assert alice.id not in json.dumps(chat(bob, table))


def test_messages_are_listed_newest_first_in_pages(alice: Gambler, bob: Gambler, table: str) -> None:
    for number in range(4):
        say(alice, table, f"Message {number}")
    pages = bob.pages(f"tables/{table}/chat", limit=2)
    assert [line["text"] for line in pages] == [f"Message {number}" for number in (3, 2, 1, 0)]


def test_markup_is_returned_as_the_same_characters(alice: Gambler, bob: Gambler, table: str) -> None:
    text = "<script>alert('x')</script> & <b>\"bold\"</b>"
    assert say(alice, table, text).json()["text"] == text
    header = {"Authorization": f"Bearer {bob.credential}"}
    answer = Client().get(f"/api/v1/tables/{table}/chat", headers=header)
    assert answer.json()["items"][0]["text"] == text
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_player_without_a_seat_reads_but_does_not_write(lucky: Tenant, alice: Gambler, table: str) -> None:
    watcher = lucky.player("Carol")
    say(alice, table, "Hello")
    shown = chat(watcher, table)
    assert (len(shown["items"]), shown["can_write"], shown["open"]) == (1, False, True)
    assert code(say(watcher, table, "Me too")) == (403, "only_seated_may_write")


def test_a_player_who_left_may_not_write(alice: Gambler, table: str) -> None:
    alice.do(f"tables/{table}/leave")
    assert code(say(alice, table, "Bye")) == (403, "only_seated_may_write")


def test_another_operators_table_is_unknown(table: str) -> None:
    stranger = tenant("golden").player("Charlie")
    for place in (table, NOWHERE):
        assert code(stranger.get(f"tables/{place}/chat")) == (404, "unknown_table")
        assert code(say(stranger, place, "Hello")) == (404, "unknown_table")
        assert code(set_open(stranger, place, False)) == (404, "unknown_table")


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("", "message_empty"),
        (" \u3000 ", "message_empty"),
        ("x" * 201, "message_too_long"),
        ("two\nlines", "message_not_printable"),
        ("bell\u0007", "message_not_printable"),
        ("\u3164", "message_not_printable"),
        ("\u200d\u200b", "message_empty"),
        ("\u202egnihtemos", "message_not_printable"),
        ("\u0301", "message_not_printable"),
        (5, "not_a_string"),
        (None, "field_null"),
    ],
)
def test_an_invalid_message_is_refused_and_changes_nothing(alice: Gambler, table: str, text: Any, refused: str) -> None:
    assert code(say(alice, table, text)) == (422, refused)
    assert chat(alice, table)["items"] == []
    assert fetch("SELECT count(*) FROM chat_playermoderation") == [(0,)]


@pytest.mark.parametrize("text", SENTENCES)
def test_a_message_in_any_script_is_shown_as_it_was_written(alice: Gambler, table: str, text: str) -> None:
    assert say(alice, table, text).json()["text"] == text
    assert [item["text"] for item in chat(alice, table)["items"]] == [text]


def test_two_hundred_characters_with_accents_are_accepted(alice: Gambler, table: str) -> None:
    assert say(alice, table, "e\u0301" * 200).status_code == 201


def test_a_repeated_request_sends_one_message(alice: Gambler, table: str) -> None:
    first, again = (say(alice, table, "Hello", key="one") for _ in range(2))
    assert first.content == again.content
    assert len(chat(alice, table)["items"]) == 1


def test_a_sixth_message_within_ten_seconds_is_refused_with_a_retry_time(
    alice: Gambler, bob: Gambler, table: str
) -> None:
    times = [say(alice, table, f"Message {number}").json()["sent_at"] for number in range(5)]
    refused = say(alice, table, "One too many")
    assert code(refused) == (409, "too_many_messages")
    assert refused.json()["retry_at"] > times[0]
    assert say(bob, table, "I may").status_code == 201


def test_a_closed_chat_accepts_no_message_until_it_is_reopened(alice: Gambler, bob: Gambler, table: str) -> None:
    for _ in range(2):
        assert set_open(alice, table, False).json() == {"open": False}
    assert code(say(alice, table, "Hello")) == (409, "chat_is_closed")
    assert (chat(alice, table)["open"], chat(alice, table)["can_write"]) == (False, False)
    assert chat(bob, table)["open"] is True
    assert set_open(alice, table, True).json() == {"open": True}
    assert say(alice, table, "Hello").status_code == 201
    assert set_open(alice, table, "yes").json()["code"] == "not_a_boolean"


def test_listed_words_are_masked_for_players_but_not_for_moderators(lucky: Tenant, alice: Gambler, table: str) -> None:
    lucky.do("chat/filter-words", {"word": "Darn"})
    assert say(alice, table, "d@rn, that DARNED d\u00e4rn!").json()["text"] == "****, that DARNED ****!"
    (message,) = lucky.read(f"players/{alice.id}/messages")["items"]
    assert (message["original_text"], message["displayed_text"]) == (
        "d@rn, that DARNED d\u00e4rn!",
        "****, that DARNED ****!",
    )
    assert "d@rn" not in json.dumps(chat(alice, table))


def test_filter_words_apply_to_their_operator_only(lucky: Tenant, alice: Gambler, table: str) -> None:
    golden = tenant("golden")
    golden.do("chat/filter-words", {"word": "darn"})
    assert say(alice, table, "darn").json()["text"] == "darn"
    assert lucky.read("chat/filter-words")["items"] == []
    assert code(lucky.post("chat/filter-words/remove", {"word": "darn"})) == (404, "unknown_filter_word")


def test_a_filter_word_is_added_and_removed_once(lucky: Tenant, alice: Gambler, table: str) -> None:
    assert lucky.do("chat/filter-words", {"word": "Darn"})["normalized"] == "darn"
    assert code(lucky.post("chat/filter-words", {"word": "d4rn"})) == (409, "filter_word_exists")
    for word in ("two words", "x", "12345", "semi;colon"):
        assert code(lucky.post("chat/filter-words", {"word": word})) == (422, "invalid_filter_word")
    assert lucky.post("chat/filter-words/remove", {"word": "DARN"}).status_code == 204
    assert say(alice, table, "darn").json()["text"] == "darn"


def test_events_do_not_contain_the_text_of_a_message(alice: Gambler, table: str) -> None:
    say(alice, table, "Supercalifragilistic")
    rows = fetch("SELECT data::text, metadata::text FROM events_event WHERE stream = %s", [f"chat-{alice.id}"])
    assert len(rows) == 1
    assert "Supercali" not in "".join(rows[0])


def test_the_number_of_queries_does_not_grow_with_messages(
    alice: Gambler, table: str, django_assert_num_queries: Any
) -> None:
    say(alice, table, "First")
    with django_assert_num_queries(5):
        chat(alice, table)
    with django_assert_num_queries(12):
        say(alice, table, "Second")
    say(alice, table, "Third")
    with django_assert_num_queries(5):
        chat(alice, table)
