"""Preferences are stored for each player and validated; a client reads them when the player enters a game."""

from typing import Any

import pytest

from tests.baccarat.api.people import JSON, Gambler, Tenant, tenant

pytestmark = pytest.mark.django_db
DEFAULTS: dict[str, Any] = {
    "sound": True,
    "voice": False,
    "animation": True,
    "full_screen": False,
    "instant": False,
    "show_nickname": False,
    "style": "modern",
}


@pytest.fixture
def lucky() -> Tenant:
    return tenant("lucky")


@pytest.fixture
def alice(lucky: Tenant) -> Gambler:
    return lucky.player("Alice")


def put(player: Gambler, **changes: Any) -> Any:
    body = {name: value for name, value in {**DEFAULTS, **changes}.items() if value != "left out"}
    return player.send("put", "preferences", data=body, content_type=JSON)


def open_new_session(lucky: Tenant, player: Gambler) -> Gambler:
    return Gambler(lucky.do(f"players/{player.id}/sessions")["token"], player.id)


def test_a_new_player_has_the_defaults(alice: Gambler) -> None:
    assert alice.read("preferences") == {**DEFAULTS, "player": str(alice.id), "nickname": "Alice"}


def test_preferences_are_stored_for_each_player(lucky: Tenant, alice: Gambler) -> None:
    changed = {"sound": False, "voice": True, "full_screen": True, "instant": True, "style": "classic"}
    first = put(alice, **changed)
    assert first.status_code == 200
    assert first.json() == put(alice, **changed).json() == alice.read("preferences")
    assert first.json() == {**DEFAULTS, **changed, "player": str(alice.id), "nickname": "Alice"}
    assert open_new_session(lucky, alice).read("preferences") == first.json()
    bob = lucky.player("Bob")
    assert bob.read("preferences") == {**DEFAULTS, "player": str(bob.id), "nickname": "Bob"}


def test_a_change_of_animation_is_read_at_the_next_entry_in_the_same_session(alice: Gambler) -> None:
    for wanted in (False, True, False):
        assert put(alice, animation=wanted).json()["animation"] is wanted
        assert alice.read("preferences")["animation"] is wanted


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
        ({"nickname": "Ace"}, "unknown_field"),
    ],
)
def test_invalid_preferences_are_refused_and_change_nothing(alice: Gambler, change: dict[str, Any], code: str) -> None:
    put(alice, sound=False)
    refused = put(alice, **change)
    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert alice.read("preferences") == {**DEFAULTS, "sound": False, "player": str(alice.id), "nickname": "Alice"}


def test_reading_takes_four_queries_and_replacing_four(alice: Gambler, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(4):
        alice.read("preferences")
    with django_assert_num_queries(4):
        put(alice, voice=True)
