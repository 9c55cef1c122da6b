"""The Caller's ceremony over HTTP: what each sees of it, and that the answer with the cards is kept nowhere."""

import json
import uuid
from typing import Any

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import JSON, Gambler, Tenant, bet, deal_all, sit

RULES = {"caller": True, "turn_seconds": 3600, "look_seconds": 60, "hand_back_seconds": 60}


@pytest.fixture
def scene(lucky: Tenant) -> tuple[str, Gambler, Gambler]:
    """Alice has the cards; Bob has bet less on Player."""
    table = lucky.table("big_table", rules=RULES)
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    sit(alice, table, 1)
    sit(bob, table, 2)
    alice.do(f"tables/{table}/pass")
    deal_all()
    bet(alice, table, player="100.00")
    bet(bob, table, player="25.00", banker="100.00")
    deal_all()
    return table, alice, bob


def ceremony(who: Any, table: str) -> dict[str, Any]:
    found: dict[str, Any] = who.read(f"tables/{table}")["round"]["ceremony"]
    return found


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_everyone_sees_who_has_the_cards_and_only_that_seat_sees_them(
    lucky: Tenant, scene: tuple[str, Gambler, Gambler]
) -> None:
    table, alice, bob = scene
    held = ceremony(alice, table)
    assert (held["seat"], held["you"], held["looked"], held["handed_back"]) == (1, True, False, None)
    assert ceremony(bob, table) == {**held, "you": False} == ceremony(lucky, table)

    shown = alice.do(f"tables/{table}/look")
    assert len(shown["cards"]) == 2
    assert ceremony(bob, table) == {**held, "you": False, "looked": True, "until": shown["until"]}
    assert code(bob.post(f"tables/{table}/look")) == (403, "not_your_cards")
    assert code(bob.post(f"tables/{table}/hand-back")) == (403, "not_your_cards")
    assert code(lucky.post(f"tables/{table}/look")) == (403, "forbidden")

    assert alice.do(f"tables/{table}/hand-back")["round"]["ceremony"]["handed_back"] == "player"
    assert code(alice.post(f"tables/{table}/look")) == (409, "cards_are_handed_back")
    deal_all()
    last = bob.read(f"tables/{table}")["last_round"]
    assert last["player_hand"]["cards"][:2] == shown["cards"]
    assert last["ceremony"]["handed_back"] == "player"
    assert code(alice.post(f"tables/{table}/look")) == (409, "no_ceremony")


def test_the_cards_are_in_no_stored_answer_and_a_repeat_sees_them_again(scene: tuple[str, Gambler, Gambler]) -> None:
    table, alice, _ = scene
    key = {"Idempotency-Key": uuid.uuid4().hex}
    path = f"tables/{table}/look"
    first, again = (alice.send("generic", path, data="{}", content_type=JSON, headers=key) for _ in range(2))
    assert first.json() == again.json()
    assert first.headers["Cache-Control"] == "no-store"
    ((length,),) = fetch("SELECT min(length(response)) FROM api_idempotentrequest")
    assert length < 40, "a status, a nonce and a tag"
    spaced = alice.send("generic", path, data="{ }", content_type=JSON, headers=key)
    assert spaced.json() == first.json(), "the same JSON, written differently"
    events = alice.read(f"rounds/{alice.read(f'tables/{table}')['round']['id']}/events")["items"]
    assert [event["type"] for event in events].count("CardsLookedAt") == 1
    cards = first.json()["cards"]
    assert all(f'"{card}"' not in json.dumps(events) for card in cards)


def test_where_there_is_no_ceremony_there_is_nothing_to_look_at(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for action in ("look", "hand-back"):
        assert code(alice.post(f"tables/{table}/{action}")) == (409, "no_ceremony")
    bet(alice, table, player="5.00")
    assert code(alice.post(f"tables/{table}/look")) == (409, "no_ceremony")


def test_the_rules_tell_the_time_limits(lucky: Tenant) -> None:
    table = lucky.table("big_table", rules={"caller": True})
    rules = lucky.read(f"tables/{table}")["rules"]
    assert (rules["caller"], rules["look_seconds"], rules["hand_back_seconds"]) == (True, 10, 10)
