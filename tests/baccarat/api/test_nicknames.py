"""Nicknames are shown by those who chose to, and by nobody else: in tables, chats and streams."""

from typing import Any
from uuid import UUID

import pytest

from baccarat.chat.moderation import add_filter_word
from baccarat.streaming.notifications import LiveEventBuilder
from casino.crypto import crypto_shredding
from casino.events import sealer, subscriptions
from casino.events.records import Metadata
from tests.baccarat.api.people import JSON, LONG_TURN, Gambler, Tenant, company, sit

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


def named(house: Tenant, nickname: str, reference: str) -> Gambler:
    player = house.do("players", {"reference": reference, "nickname": nickname})["id"]
    house.fund(player, "1000.00")
    return Gambler(house.do(f"players/{player}/sessions", {})["token"], player)


def sit_down(player: Gambler, table: str, seat: int) -> None:
    sit(player, table, seat, buy_in="25.00")


LOOK_LIKE_ACE = ("\u0410\u0441\u0435", "ace", "\uff21\uff43\uff45", "A\u0441e")


@pytest.mark.parametrize("nickname", LOOK_LIKE_ACE)
def test_a_nickname_that_looks_like_one_shown_at_the_table_is_not_shown_from_then_on(
    lucky: Tenant, nickname: str
) -> None:
    table, other = lucky.table("big_table"), lucky.table("big_table")
    ace, double = named(lucky, "Ace", "one"), named(lucky, nickname, "two")
    show_nickname(ace)
    sit_down(ace, table, 1)
    sit_down(double, table, 4)

    refused = save_preferences(double, shown=True, sound=False)

    assert (refused.status_code, refused.json()["code"]) == (409, "nickname_confusable")
    assert double.read("preferences")["sound"] is True
    assert nicknames(double, table) == {1: "Ace"}
    assert save_preferences(double, shown=False, sound=False).status_code == 200
    double.do(f"tables/{table}/leave")
    sit_down(double, other, 4)
    show_nickname(double)
    assert nicknames(ace, other) == {4: nickname}


@pytest.mark.parametrize("nickname", ["Ase", "\u00c0ce", "Ace 2", "\u963f\u65af"])
def test_a_nickname_that_looks_like_no_other_is_shown(lucky: Tenant, nickname: str) -> None:
    table = lucky.table("big_table")
    ace, other = named(lucky, "Ace", "one"), named(lucky, nickname, "two")
    show_nickname(ace)
    sit_down(ace, table, 1)
    sit_down(other, table, 4)
    show_nickname(other)
    assert nicknames(ace, table) == {1: "Ace", 4: nickname}


def test_who_sits_down_later_under_a_nickname_that_looks_the_same_is_named_with_the_seat(lucky: Tenant) -> None:
    table = lucky.table("big_table", rules=LONG_TURN)
    ace, double, third = (
        named(lucky, "Ace", "one"),
        named(lucky, "\u0410\u0441\u0435", "two"),
        named(lucky, "ace", "three"),
    )
    for player, seat in ((ace, 5), (double, 4), (third, 1)):
        show_nickname(player)
        sit_down(player, table, seat)

    sealer.seal_all()
    before = subscriptions.head()
    double_at_table = "\u0410\u0441\u0435 \u00b7 4"
    assert nicknames(ace, table) == {5: "Ace", 4: double_at_table, 1: "ace \u00b7 1"}
    assert double.do(f"tables/{table}/chat", {"text": "Hi"})["nickname"] == double_at_table
    assert ace.do(f"tables/{table}/chat", {"text": "Hello"})["nickname"] == "Ace"
    sealer.seal_all()
    assert [line["nickname"] for line in third.read(f"tables/{table}/chat")["items"]] == ["Ace", double_at_table]
    streamed = LiveEventBuilder().build(subscriptions.read_sealed(before, 100))
    said = [each.present(UUID(third.id)).data for each in streamed if each.type == "ChatMessageSent"]
    assert [each["nickname"] for each in said] == [double_at_table, "Ace"]

    other = lucky.table("big_table")
    sit_down(third, other, 2)
    assert nicknames(ace, other) == {2: "ace"}


def test_a_nickname_that_reads_like_one_with_a_seat_is_named_with_its_own(lucky: Tenant) -> None:
    table = lucky.table("big_table")
    posing, ace, late = (named(lucky, name, f"{name}-1") for name in ("Ace\u30fb4", "Ace", "ace"))
    for player, seat in ((posing, 1), (ace, 2), (late, 4)):
        show_nickname(player)
        sit_down(player, table, seat)
    assert nicknames(ace, table) == {1: "Ace\u30fb4 \u00b7 1", 2: "Ace \u00b7 2", 4: "ace \u00b7 4"}
