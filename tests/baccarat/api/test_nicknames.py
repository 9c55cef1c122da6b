"""Nicknames are shown by those who chose to, and by nobody else: in tables, chats and streams."""

from typing import Any
from uuid import UUID

from baccarat.chat.moderation import add_filter_word
from casino.crypto import crypto_shredding
from casino.events import sealer
from casino.events.records import Metadata
from tests.baccarat.api.people import JSON, Gambler, Tenant, company, sit

PREFERENCES = {
    "sound": True,
    "voice": False,
    "animation": True,
    "full_screen": False,
    "instant": False,
    "style": "modern",
}


def save_preferences(player: Gambler, *, shown: bool, **choices: Any) -> Any:
    body = {**PREFERENCES, "show_nickname": shown, **choices}
    return player.send("put", "preferences", data=body, content_type=JSON)


def show_nickname(player: Gambler, *, shown: bool = True) -> None:
    assert save_preferences(player, shown=shown).status_code == 200


def nicknames(viewer: Any, table: str) -> dict[int, str]:
    return {each["seat"]: each["nickname"] for each in viewer.read(f"tables/{table}")["nicknames"]}


def test_a_nickname_is_shown_from_the_moment_its_player_wants_it_until_they_do_not(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    assert nicknames(bob, table) == nicknames(lucky, table) == {}

    show_nickname(alice)
    assert nicknames(alice, table) == nicknames(bob, table) == nicknames(lucky.player("Cat"), table) == {1: "Alice"}
    assert "Bob" not in str(alice.read(f"tables/{table}"))

    show_nickname(alice, shown=False)
    assert nicknames(bob, table) == {}


def test_a_nickname_stays_at_the_seat_of_its_player(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    show_nickname(alice)
    alice.do(f"tables/{table}/pass")
    bob.do(f"tables/{table}/pass")
    alice.do(f"tables/{table}/leave")
    assert nicknames(bob, table) == {}

    other = lucky.table("mini")
    sit(alice, other)
    assert nicknames(bob, other) == {1: "Alice"}


def test_the_operators_reference_and_the_players_id_are_shown_to_no_other_player(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    show_nickname(alice)
    reference = lucky.read(f"players/{alice.id}")["reference"]
    alice.do(f"tables/{table}/chat", {"text": "Hello"})
    for path in (f"tables/{table}", f"tables/{table}/chat", "lobby", f"tables/{table}/rounds"):
        seen = str(bob.read(path))
        assert alice.id not in seen
        assert reference not in seen

    same = {"reference": "customer-8812", "nickname": "Customer-8812"}
    player = lucky.do("players", same)["id"]
    dan = Gambler(lucky.do(f"players/{player}/sessions", {})["token"], player)
    show_nickname(dan)
    lucky.fund(player, "25.00")
    dan.do(f"tables/{table}/seat", {"seat": 5, "buy_in": "25.00", "currency": "EUR", "money_type": "real"})
    assert nicknames(bob, table) == {1: "Alice"}


def test_an_erased_player_has_no_nickname(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    show_nickname(alice)
    crypto_shredding.destroy_key(UUID(alice.id))
    assert nicknames(bob, table) == {}


def test_the_chat_names_writers_who_show_it_and_only_seats_of_the_others(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    show_nickname(alice)
    assert alice.do(f"tables/{table}/chat", {"text": "Hello"})["nickname"] == "Alice"
    assert bob.do(f"tables/{table}/chat", {"text": "Hi"})["nickname"] is None
    sealer.seal_all()
    for viewer in (alice, bob, lucky.player("Cat")):
        lines = viewer.read(f"tables/{table}/chat")["items"]
        assert [(line["seat"], line["nickname"]) for line in lines] == [(2, None), (1, "Alice")]


def test_nicknames_of_one_operators_players_are_not_seen_at_anothers_tables(lucky: Tenant, golden: Tenant) -> None:
    table, (alice, _) = company(lucky, "big_table", "Alice", "Bob")
    show_nickname(alice)
    assert golden.player("Eve").get(f"tables/{table}").status_code == 404


def test_a_nickname_with_a_filtered_word_is_refused_at_registration_and_registers_nobody(lucky: Tenant) -> None:
    lucky.do("chat/filter-words", {"word": "darn"})
    add_filter_word(operator=None, word="heck", metadata=Metadata("", "test", "test", "test"))
    for nickname in ("so DARN good", "d@rn", "Heck"):
        refused = lucky.post("players", {"reference": "customer-1", "nickname": nickname})
        assert (refused.status_code, refused.json()["code"]) == (422, "nickname_not_allowed")
    assert lucky.read("players")["items"] == []
    assert lucky.do("players", {"reference": "customer-1", "nickname": "Darnell"})["nickname"] == "Darnell"


def test_a_word_of_one_operators_list_refuses_no_other_operators_nickname(lucky: Tenant, golden: Tenant) -> None:
    lucky.do("chat/filter-words", {"word": "darn"})
    assert golden.do("players", {"reference": "customer-1", "nickname": "Darn"})["nickname"] == "Darn"


def test_a_word_that_is_listed_later_refuses_to_show_a_nickname_but_no_repeat_and_no_other_choice(
    lucky: Tenant,
) -> None:
    body = {"reference": "customer-1", "nickname": "Darn"}
    player = lucky.do("players", body)["id"]
    dan = Gambler(lucky.do(f"players/{player}/sessions", {})["token"], player)
    lucky.do("chat/filter-words", {"word": "darn"})

    assert lucky.do("players", body)["id"] == player
    refused = save_preferences(dan, shown=True)
    assert (refused.status_code, refused.json()["code"]) == (422, "nickname_not_allowed")
    assert save_preferences(dan, shown=False, sound=False).json()["sound"] is False

    assert lucky.post("chat/filter-words/remove", {"word": "darn"}).status_code == 204
    show_nickname(dan)
    lucky.do("chat/filter-words", {"word": "darn"})
    assert save_preferences(dan, shown=True, sound=False).status_code == 200
