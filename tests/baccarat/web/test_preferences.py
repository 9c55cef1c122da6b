"""Preferences are kept for each player, refused when odd, and animation waits for the next entry."""

from typing import Any

import pytest

from tests.baccarat.api.people import JSON, Gambler, Tenant, tenant

pytestmark = pytest.mark.django_db
NEWCOMERS: dict[str, Any] = {
    "sound": True,
    "voice": False,
    "animation": True,
    "full_screen": False,
    "instant": False,
    "style": "modern",
}


@pytest.fixture
def lucky() -> Tenant:
    return tenant("lucky")


@pytest.fixture
def alice(lucky: Tenant) -> Gambler:
    return lucky.player("Alice")


def put(player: Gambler, **changes: Any) -> Any:
    body = {name: value for name, value in {**NEWCOMERS, **changes}.items() if value != "left out"}
    return player.send("put", "preferences", data=body, content_type=JSON)


def enter_again(lucky: Tenant, player: Gambler) -> Gambler:
    return Gambler(lucky.do(f"players/{player.id}/sessions")["token"], player.id)


def test_a_newcomer_has_the_usual_ones(alice: Gambler) -> None:
    assert alice.read("preferences") == {**NEWCOMERS, "animation_in_session": True}


def test_they_are_kept_whole_for_each_player(lucky: Tenant, alice: Gambler) -> None:
    changed = {"sound": False, "voice": True, "full_screen": True, "instant": True, "style": "classic"}
    first = put(alice, **changed)
    assert first.status_code == 200
    assert first.json() == put(alice, **changed).json() == alice.read("preferences")
    assert first.json() == {**NEWCOMERS, **changed, "animation_in_session": True}
    assert enter_again(lucky, alice).read("preferences") == first.json()
    assert lucky.player("Bob").read("preferences") == {**NEWCOMERS, "animation_in_session": True}


def test_animation_changes_at_the_next_entry_however_often_it_is_wished(lucky: Tenant, alice: Gambler) -> None:
    for wish in (False, True, False):
        shown = put(alice, animation=wish).json()
        assert (shown["animation"], shown["animation_in_session"]) == (wish, True)
        assert alice.read("preferences") == shown
    alice = enter_again(lucky, alice)
    assert alice.read("preferences")["animation_in_session"] is False
    shown = put(alice, animation=True).json()
    assert (shown["animation"], shown["animation_in_session"]) == (True, False)
    assert enter_again(lucky, alice).read("preferences")["animation_in_session"] is True


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"style": "gothic"}, "unknown_choice"),
        ({"style": 1}, "not_a_string"),
        ({"sound": "true"}, "not_a_boolean"),
        ({"instant": 1}, "not_a_boolean"),
        ({"voice": None}, "field_null"),
        ({"voice": "left out"}, "field_required"),
        ({"theme": "dark"}, "unknown_field"),
        ({"animation_in_session": True}, "unknown_field"),
    ],
)
def test_what_is_odd_is_refused_and_changes_nothing(alice: Gambler, change: dict[str, Any], code: str) -> None:
    put(alice, sound=False)
    refused = put(alice, **change)
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert alice.read("preferences") == {**NEWCOMERS, "sound": False, "animation_in_session": True}


def test_two_queries_read_and_four_replace_them(alice: Gambler, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        alice.read("preferences")
    with django_assert_num_queries(4):
        put(alice, voice=True)
