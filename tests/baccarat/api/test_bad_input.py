"""Every kind of bad input has a code of its own, and changes nothing."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests.baccarat.api.people import (
    LONG_TURN,
    NOWHERE,
    Caller,
    Gambler,
    Tenant,
    bet,
    deal_all,
    sit,
    tenant,
    whole_database,
)
from tests.conftest import Database
from tests.support.spots import written

ACTIONS: dict[str, dict[str, Any]] = {
    "seat": {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"},
    "change-seat": {"seat": 1},
    "rebuy": {"amount": "5.00", "currency": "EUR"},
    "leave": {},
    "new-game": {},
    "place": {"spot": "banker", "amount": "5.00", "currency": "EUR"},
    "undo": {},
    "clear": {},
    "rebet": {},
    "double": {},
    "rebet-and-deal": {},
    "deal": {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"},
    "pass": {},
    "cut": {"contribution": "9f2c5e7a"},
}
SEAT, CHIPS, DEAL, REBUY = (ACTIONS[name] for name in ("seat", "place", "deal", "rebuy"))
SHOW = dict.fromkeys(("two_cards", "natural", "one_third_card", "two_third_cards", "ceremony"), 0)
OPENING: dict[str, Any] = {"name": "A table", "preset": "mini", "currency": "EUR", "money_types": ["real"]}


def side(**terms: Any) -> dict[str, Any]:
    return {"name": "side", "kind": "side", "lines": [{"when": {"player_pair": True}, "pays": "11:1"}], **terms}


@dataclass(frozen=True, slots=True)
class Scene:
    """Alice sits alone at a mini table with 400.00 and an open round; Bob has no seat."""

    house: Tenant
    alice: Gambler
    bob: Gambler
    table: str


@pytest.fixture(scope="module")
def scene(module_database: Database) -> Scene:
    """Shared by all cases: each of them must leave it as it was."""
    house = tenant("lucky")
    alice, bob = house.player("Alice", funds="500.00"), house.player("Bob")
    table = house.table("mini", money_types=["real"])
    sit(alice, table, buy_in="400.00")
    alice.do(f"tables/{table}/new-game")
    return Scene(house, alice, bob, table)


def refused(send: Callable[[], Any], status: int, code: str) -> dict[str, Any]:
    """Assert that a request is refused for this reason and that no row of the database differs after it."""
    before = whole_database()
    answer = send()
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content.decode()
    assert whole_database() == before
    problem: dict[str, Any] = answer.json()
    assert problem["remedy"]
    return problem


def posting(caller: Caller, path: str, body: dict[str, Any] | None = None, **more: str) -> Callable[[], Any]:
    """Build a POST without sending it."""
    return lambda: caller.post(path, body, **more)


def acting(player: Gambler, table: str, action: str) -> Callable[[], Any]:
    """Build a player's action at a table, with a valid body."""
    return posting(player, f"tables/{table}/{action}", ACTIONS[action])


def at(scene: Scene, action: str, **changes: Any) -> Callable[[], Any]:
    """Alice's action at her table, with other values for some fields."""
    return posting(scene.alice, f"tables/{scene.table}/{action}", {**ACTIONS[action], **changes})


@pytest.mark.parametrize("action", ACTIONS)
def test_an_unknown_table(scene: Scene, action: str) -> None:
    refused(posting(scene.alice, f"tables/{NOWHERE}/{action}", ACTIONS[action]), 404, "unknown_table")


@pytest.mark.parametrize("page", ["", "/odds", "/rounds"])
def test_reading_an_unknown_table(scene: Scene, page: str) -> None:
    for caller in (scene.alice, scene.house):
        assert caller.get(f"tables/{NOWHERE}{page}").json()["code"] == "unknown_table"


@pytest.mark.parametrize("page", ["", "/events"])
def test_reading_an_unknown_round(scene: Scene, page: str) -> None:
    for caller in (scene.alice, scene.house):
        assert caller.get(f"rounds/{NOWHERE}{page}").json()["code"] == "unknown_round"


@pytest.mark.parametrize("seat", [0, -1, 2, 15, 10**30])
def test_an_unknown_seat(scene: Scene, seat: int) -> None:
    problem = refused(at(scene, "change-seat", seat=seat), 404, "unknown_seat")
    assert problem["seats"] == 1
    path = f"tables/{scene.table}/seat"
    refused(posting(scene.bob, path, {**SEAT, "seat": seat}), 404, "unknown_seat")


@pytest.mark.parametrize("seat", ["1", 1.0, True, [1], {"n": 1}])
def test_a_seat_that_is_no_whole_number(scene: Scene, seat: object) -> None:
    refused(at(scene, "change-seat", seat=seat), 422, "not_an_integer")


def test_a_seat_that_is_null(scene: Scene) -> None:
    refused(at(scene, "change-seat", seat=None), 422, "field_null")


AMOUNTS: list[tuple[object, str]] = [
    ("0", "amount_not_positive"),
    ("0.00", "amount_not_positive"),
    ("-5.00", "amount_not_positive"),
    (5.0, "amount_not_text"),
    (5, "amount_not_text"),
    (True, "amount_not_text"),
    ("1" + "0" * 30, "amount_too_large"),
    ("10000000000000.00", "amount_too_large"),
    ("5.001", "amount_malformed"),
    ("5,00", "amount_malformed"),
    ("05.00", "amount_malformed"),
    ("5e2", "amount_malformed"),
    ("", "amount_malformed"),
    (" 5.00", "amount_malformed"),
    ("\u0665", "amount_malformed"),
    (None, "field_null"),
]


@pytest.mark.parametrize(("amount", "code"), AMOUNTS)
def test_a_wrong_amount(scene: Scene, amount: object, code: str) -> None:
    problem = refused(at(scene, "place", amount=amount), 422, code)
    assert problem["errors"][0]["field"] == "amount"
    problem = refused(at(scene, "deal", stakes=[{"spot": "tie", "amount": amount}]), 422, code)
    assert problem["errors"][0]["field"] == "stakes[0].amount"
    refused(at(scene, "rebuy", amount=amount), 422, code)
    path = f"tables/{scene.table}/seat"
    refused(posting(scene.bob, path, {**SEAT, "buy_in": amount}), 422, code)


def test_an_amount_that_the_chips_cannot_make_up(scene: Scene) -> None:
    for amount in ("5.50", "0.01"):
        problem = refused(at(scene, "place", amount=amount), 422, "amount_not_in_chips")
        assert problem["chips"] == ["1.00", "5.00", "25.00", "100.00", "500.00"]
        refused(at(scene, "deal", stakes=[{"spot": "tie", "amount": amount}]), 422, "amount_not_in_chips")


@pytest.mark.parametrize("spot", ["", "PLAYER", "x" * 300])
def test_what_can_be_no_spots_name(scene: Scene, spot: str) -> None:
    code = "field_invalid" if spot else "field_blank"
    problem = refused(at(scene, "place", spot=spot), 422, code)
    assert problem["errors"][0]["field"] == "spot"
    problem = refused(at(scene, "deal", stakes=[{"spot": spot, "amount": "5.00"}]), 422, code)
    assert problem["errors"][0]["field"] == "stakes[0].spot"


def test_a_spot_that_the_table_does_not_have(scene: Scene) -> None:
    problem = refused(at(scene, "place", spot="dragon"), 422, "unknown_spot")
    assert (problem["unknown"], problem["spots"]) == (["dragon"], ["player", "banker", "tie"])
    stakes = [{"spot": "tie", "amount": "5.00"}, {"spot": "dragon", "amount": "5.00"}]
    assert refused(at(scene, "deal", stakes=stakes), 422, "unknown_spot")["unknown"] == ["dragon"]


def test_a_spot_that_is_no_text(scene: Scene) -> None:
    refused(at(scene, "place", spot=1), 422, "not_a_string")


@pytest.mark.parametrize(
    ("currency", "code"), [("USD", "currency_not_offered"), ("XXX", "unknown_currency"), (978, "not_a_string")]
)
def test_another_currency(scene: Scene, currency: object, code: str) -> None:
    for action in ("place", "deal", "rebuy"):
        problem = refused(at(scene, action, currency=currency), 422, code)
        assert problem["errors"][0]["field"] == "currency"
    path = f"tables/{scene.table}/seat"
    refused(posting(scene.bob, path, {**SEAT, "currency": currency}), 422, code)
    refused(posting(scene.house, "tables", {**OPENING, "currency": currency}), 422, code)


def test_over_the_limit(scene: Scene) -> None:
    problem = refused(at(scene, "place", amount="301.00"), 422, "over_maximum")
    assert (problem["maximum"], problem["currency"], problem["spots"]) == ("300.00", "EUR", ["banker"])
    refused(at(scene, "deal", stakes=[{"spot": "tie", "amount": "301.00"}]), 422, "over_maximum")


def test_under_the_minimum(scene: Scene) -> None:
    stakes = [{"spot": "tie", "amount": "5.00"}, {"spot": "player", "amount": "4.00"}]
    problem = refused(at(scene, "deal", stakes=stakes), 422, "under_minimum")
    assert (problem["minimum"], problem["currency"], problem["spots"]) == ("5.00", "EUR", ["player"])


def test_not_enough_money(scene: Scene) -> None:
    stakes = [{"spot": "tie", "amount": "200.00"}, {"spot": "player", "amount": "201.00"}]
    problem = refused(at(scene, "deal", stakes=stakes), 409, "insufficient_funds")
    assert {name: problem[name] for name in ("account", "balance", "needed", "currency")} == {
        "account": "game", "balance": "400.00", "needed": "401.00", "currency": "EUR",
    }  # fmt: skip
    assert refused(at(scene, "rebuy", amount="100.01"), 409, "insufficient_funds")["account"] == "account"


def test_sitting_down_with_more_than_one_has(lucky: Tenant) -> None:
    bob, table = lucky.player("Bob", funds="99.99"), lucky.table("mini")
    refused(posting(bob, f"tables/{table}/seat", SEAT), 409, "insufficient_funds")


def test_a_seat_that_is_taken(scene: Scene) -> None:
    problem = refused(posting(scene.bob, f"tables/{scene.table}/seat", SEAT), 409, "seat_is_taken")
    assert problem["seat"] == 1


def test_a_second_seat(scene: Scene) -> None:
    refused(at(scene, "seat"), 409, "already_seated")


def test_a_book_that_the_table_does_not_take(scene: Scene) -> None:
    path = f"tables/{scene.house.table('mini', money_types=['real'])}/seat"
    problem = refused(posting(scene.bob, path, {**SEAT, "money_type": "play"}), 422, "money_type_not_offered")
    assert problem["money_types"] == ["real"]
    refused(posting(scene.bob, path, {**SEAT, "money_type": "gold"}), 422, "unknown_choice")


@pytest.mark.parametrize("action", [name for name in ACTIONS if name != "seat"])
def test_acting_without_a_seat(scene: Scene, action: str) -> None:
    refused(acting(scene.bob, scene.table, action), 409, "not_seated")


def test_chips_that_are_not_there(scene: Scene) -> None:
    refused(at(scene, "undo"), 409, "no_chips_placed")
    refused(at(scene, "double"), 409, "no_chips_placed")
    refused(at(scene, "deal", stakes=[]), 422, "no_stakes")
    refused(posting(scene.alice, f"tables/{scene.table}/deal", {}), 409, "no_chips_placed")
    refused(at(scene, "rebet"), 409, "nothing_to_rebet")
    refused(at(scene, "rebet-and-deal"), 409, "nothing_to_rebet")


def test_a_wager_that_names_a_spot_twice(scene: Scene) -> None:
    stakes = [{"spot": "tie", "amount": "5.00"}] * 2
    refused(at(scene, "deal", stakes=stakes), 422, "duplicate_spot")


def test_stakes_without_their_currency(scene: Scene) -> None:
    body = {"stakes": DEAL["stakes"]}
    problem = refused(posting(scene.alice, f"tables/{scene.table}/deal", body), 422, "field_required")
    assert problem["errors"][0]["field"] == "currency"


def test_stakes_that_are_no_list(scene: Scene) -> None:
    refused(at(scene, "deal", stakes={"tie": "5.00"}), 422, "not_an_array")
    refused(at(scene, "deal", stakes=["tie"]), 422, "not_an_object")
    refused(at(scene, "deal", stakes=None), 422, "field_null")


@pytest.mark.parametrize("action", ACTIONS)
def test_an_unknown_field(scene: Scene, action: str) -> None:
    problem = refused(at(scene, action, tip="1.00"), 422, "unknown_field")
    assert problem["errors"][0]["field"] == "tip"


def test_several_invalid_fields_are_all_listed(scene: Scene) -> None:
    problem = refused(at(scene, "place", spot="Dragon", amount=5, tip=1), 422, "invalid_fields")
    assert {(error["field"], error["code"]) for error in problem["errors"]} == {
        ("spot", "field_invalid"), ("amount", "amount_not_text"), ("tip", "unknown_field"),
    }  # fmt: skip


def test_a_missing_field(scene: Scene) -> None:
    body = {"spot": "tie", "amount": "5.00"}
    problem = refused(posting(scene.alice, f"tables/{scene.table}/place", body), 422, "field_required")
    assert problem["errors"][0]["field"] == "currency"


# -- a turn that is not one's own ---------------------------------------------------------------------------------


TURN = ("place", "undo", "clear", "rebet", "double", "deal", "pass")


def test_a_turn_that_is_not_ones_own(lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    table = lucky.table("atlantic_city", rules=LONG_TURN)
    sit(alice, table)
    sit(bob, table, 2)
    for action in TURN:
        refused(acting(bob, table, action), 409, "not_your_turn")
    refused(posting(alice, f"tables/{table}/new-game"), 409, "round_is_open")


def test_a_seat_that_has_passed(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    alice.do(f"tables/{table}/new-game")
    alice.do(f"tables/{table}/pass")
    for action in TURN:
        refused(acting(alice, table, action), 409, "not_your_turn")


def test_a_wager_that_is_confirmed_already(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    bet(alice, table, tie="5.00")
    for action in (*TURN, "rebet-and-deal"):
        refused(acting(alice, table, action), 409, "already_confirmed")
    for action in ("leave", "rebuy"):
        problem = refused(acting(alice, table, action), 409, "wager_in_play")
        assert problem["deadline_at"] is None
        assert problem["round"]


def test_betting_that_is_closed(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("atlantic_city", rules={"turn_seconds": 1})
    sit(alice, table)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(1.1)")
    for action in TURN:
        problem = refused(acting(alice, table, action), 409, "betting_is_closed")
        assert problem["deadline_at"].endswith("Z")
    deal_all()


def test_no_round_is_open(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for action in ("undo", "clear", "double", "pass"):
        refused(posting(alice, f"tables/{table}/{action}", {}), 409, "no_open_round")
    refused(posting(alice, f"tables/{table}/deal", {}), 409, "no_open_round")


def test_chips_that_are_on_the_table_already(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("classic")
    sit(alice, table)
    bet(alice, table, tie="5.00")
    deal_all()
    alice.do(f"tables/{table}/place", CHIPS)
    refused(posting(alice, f"tables/{table}/rebet", {}), 409, "chips_already_placed")
    refused(posting(alice, f"tables/{table}/place", {**CHIPS, "spot": "tie"}), 422, "one_spot_only")


# -- opening a table ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"preset": 5}, "not_a_string", "preset"),
        ({"name": ""}, "field_blank", "name"),
        ({"name": "x" * 81}, "field_too_long", "name"),
        ({"name": "a\nb"}, "field_invalid", "name"),
        ({"money_types": []}, "field_too_short", "money_types"),
        ({"money_types": ["real", "real"]}, "money_type_named_twice", "money_types"),
        ({"money_types": ["gold"]}, "unknown_choice", "money_types[0]"),
        ({"money_types": "real"}, "not_an_array", "money_types"),
        ({"accept_player_edge": "yes"}, "not_a_boolean", "accept_player_edge"),
        ({"rules": None}, "field_null", "rules"),
    ],
)
def test_a_table_that_is_described_wrongly(scene: Scene, changes: dict[str, Any], code: str, field: str) -> None:
    problem = refused(posting(scene.house, "tables", {**OPENING, **changes}), 422, code)
    assert [error["field"] for error in problem["errors"]] == [field]


WRITTEN: list[tuple[Any, str, str]] = [
    ([], "not_an_object", ""),
    ({"luck": 7}, "unknown_field", ".luck"),
    ({"preset": "mini"}, "unknown_field", ".preset"),
    ({"seats": "5"}, "not_an_integer", ".seats"),
    ({"seats": 5.0}, "not_an_integer", ".seats"),
    ({"seats": None}, "field_null", ".seats"),
    ({"minimum": 5}, "amount_not_text", ".minimum"),
    ({"minimum": "5,00"}, "amount_malformed", ".minimum"),
    ({"maximum": "1" * 30}, "amount_too_large", ".maximum"),
    ({"chips": ["1.00"] * 13}, "field_too_long", ".chips"),
    ({"chips": ["0"]}, "amount_not_positive", ".chips[0]"),
    ({"burn": 1}, "not_a_boolean", ".burn"),
    ({"shuffle": "never"}, "unknown_choice", ".shuffle"),
    ({"show_milliseconds": {**SHOW, "rest": 1}}, "unknown_field", ".show_milliseconds.rest"),
    ({"spots": {}}, "not_an_array", ".spots"),
    ({"spots": [side(colour="red")]}, "unknown_field", ".spots[0].colour"),
    ({"spots": [side(), {"name": "other"}]}, "field_required", ".spots[1].lines"),
    ({"spots": [side(commission="5%")]}, "not_an_object", ".spots[0].commission"),
    ({"spots": [side(commission={"rate": "0.05"})]}, "field_invalid", ".spots[0].commission.rate"),
    ({"spots": [side(commission={"rate": "1/20", "cap": 1})]}, "unknown_field", ".spots[0].commission.cap"),
    ({"spots": [side(minimum=5)]}, "amount_not_text", ".spots[0].minimum"),
    ({"spots": [side(minimum="-5.00")]}, "amount_not_positive", ".spots[0].minimum"),
    ({"spots": [side(kind="middle")]}, "unknown_choice", ".spots[0].kind"),
    ({"spots": [side(needs="tie")]}, "not_an_array", ".spots[0].needs"),
    *(
        ({"spots": [side(lines=[{"when": {"pairs": 1}, **line}])]}, code, f".spots[0].lines[0]{field}")
        for line, code, field in (
            ({"pays": "8"}, "field_invalid", ".pays"),
            ({"pays": "8/1"}, "field_invalid", ".pays"),
            ({"pays": 8}, "not_a_string", ".pays"),
            ({"pays": "8:1", "push": True}, "line_pays_or_pushes", ""),
            ({}, "line_pays_or_pushes", ""),
            ({"when": {"pairs": 1.5}, "push": True}, "field_invalid", ".when.pairs"),
            ({"when": {"pairs": {"from": 1}}, "push": True}, "field_required", ".when.pairs.to"),
        )
    ),
]
"""Rules that are written wrongly, with the code and the field."""


@pytest.mark.parametrize(("rules", "code", "field"), WRITTEN)
def test_rules_that_are_written_wrongly(scene: Scene, rules: Any, code: str, field: str) -> None:
    problem = refused(posting(scene.house, "tables", {**OPENING, "rules": rules}), 422, "invalid_rules")
    assert [(error["field"], error["code"]) for error in problem["errors"]] == [(f"rules{field}", code)]
    at = f"tables/{scene.table}/versions"
    problem = refused(posting(scene.house, at, {"rules": rules}, person="ann"), 422, "invalid_rules")
    assert [(error["field"], error["code"]) for error in problem["errors"]] == [(f"rules{field}", code)]


def test_all_that_is_wrong_with_rules_is_told_at_once(scene: Scene) -> None:
    rules = {"decks": "8", "luck": 7, "spots": [side(name=5, kind="middle"), side(lines=[{"pays": 8}])]}
    problem = refused(posting(scene.house, "tables", {**OPENING, "rules": rules}), 422, "invalid_rules")
    assert {error["field"] for error in problem["errors"]} == {
        "rules.decks", "rules.luck", "rules.spots[0].name", "rules.spots[0].kind", "rules.spots[1].lines[0].pays",
    }  # fmt: skip


def test_an_unknown_preset(scene: Scene) -> None:
    problem = refused(posting(scene.house, "tables", {**OPENING, "preset": "maxi"}), 422, "unknown_preset")
    assert problem["presets"] == ["atlantic_city", "overview", "mini", "classic", "big_table"]


@pytest.mark.parametrize(
    ("preset", "rules", "fields"),
    [
        ("mini", {"decks": 0}, {"decks"}),
        ("mini", {"decks": 17}, {"decks"}),
        ("atlantic_city", {"seats": 0}, {"seats"}),
        ("atlantic_city", {"seats": 15}, {"seats"}),
        ("mini", {"seats": 2}, {"turn_seconds"}),
        ("atlantic_city", {"turn_seconds": None}, {"turn_seconds"}),
        ("atlantic_city", {"turn_seconds": 0}, {"turn_seconds"}),
        ("atlantic_city", {"turn_seconds": 3601}, {"turn_seconds"}),
        ("mini", {"chips": []}, {"chips"}),
        ("mini", {"chips": ["5.00", "1.00"]}, {"chips"}),
        ("mini", {"chips": ["5.00", "5.00"]}, {"chips"}),
        ("mini", {"minimum": "5.50"}, {"minimum"}),
        ("mini", {"maximum": "300.50"}, {"maximum"}),
        ("mini", {"maximum": "4.00"}, {"maximum"}),
        ("mini", {"maximum": "1000000000.00"}, {"maximum"}),
        ("mini", {"burn": True}, {"burn"}),
        ("mini", {"auto_confirm": True}, {"auto_confirm"}),
        ("mini", {"minimum_cycle_seconds": 3601}, {"minimum_cycle_seconds"}),
        ("mini", {"spots": written(tie="10001:1")}, {"spots[2].lines[0].pays"}),
        ("mini", {"spots": written(tie="0:1")}, {"spots[2].lines[0].pays"}),
        ("mini", {"spots": []}, {"spots"}),
        ("mini", {"shuffle": "shoe"}, {"cut_cards_from_end"}),
        ("mini", {"spots": written(commission={"rate": "101/100"})}, {"spots[1].commission"}),
        ("mini", {"spots": written(commission={"rate": "5/100", "rounding": "2/1"})}, {"spots[1].commission"}),
        ("mini", {"spots": written(commission={"rate": "5/100", "timing": "deferred"})}, {"spots"}),
        ("mini", {"cut_cards_from_end": 14}, {"cut_cards_from_end"}),
        ("big_table", {"cut_cards_from_end": 11}, {"cut_cards_from_end"}),
        ("big_table", {"cut_cards_from_end": 400}, {"cut_cards_from_end"}),
        ("big_table", {"seat_kept_rounds": 0}, {"seat_kept_rounds"}),
        ("mini", {"decks": 0, "turn_seconds": 0}, {"decks", "turn_seconds"}),
        ("mini", {"burn": True, "minimum": "5.50"}, {"burn", "minimum"}),
    ],
)
def test_rules_by_which_no_table_can_play(scene: Scene, preset: str, rules: dict[str, Any], fields: set[str]) -> None:
    body = {**OPENING, "preset": preset, "accept_player_edge": True, "rules": rules}
    problem = refused(posting(scene.house, "tables", body, person="ann"), 422, "invalid_rules")
    assert {error["field"] for error in problem["errors"]} == {f"rules.{field}" for field in fields}


@pytest.mark.parametrize(
    ("spot", "code", "field"),
    [
        (side(name="tie"), "spot_named_twice", "name"),
        (side(name="Side bet"), "spot_name_malformed", "name"),
        (side(needs=["dragon"]), "needed_spot_unknown", "needs"),
        (side(needs=["side"]), "needed_spot_unknown", "needs"),
        (side(minimum="5.50"), "minimum_not_makeable", "minimum"),
        (side(maximum="5.50"), "maximum_not_makeable", "maximum"),
        (side(minimum="50.00", maximum="10.00"), "maximum_under_minimum", "maximum"),
        (side(maximum="4.00"), "maximum_under_minimum", "maximum"),
        (side(lines=[]), "lines_out_of_range", "lines"),
        (side(lines=[{"when": {"luck": 7}, "pays": "8:1"}]), "fact_unknown", "lines[0].when.luck"),
        (side(lines=[{"when": {"winner": "me"}, "pays": "8:1"}]), "fact_value_unknown", "lines[0].when.winner"),
        (side(lines=[{"when": {"winner": []}, "pays": "8:1"}]), "fact_value_unknown", "lines[0].when.winner"),
        (side(lines=[{"when": {"winner": "tie", "margin": 9}, "pays": "8:1"}]), "line_never_holds", "lines[0]"),
        (side(lines=[{"pays": "1:1"}, {"when": {"pairs": 1}, "pays": "8:1"}]), "line_unreachable", "lines[1]"),
    ],
)
def test_a_spot_that_no_table_can_have(scene: Scene, spot: dict[str, Any], code: str, field: str) -> None:
    rules = {"rules": {"spots": [*written(), spot]}}
    for send in (
        posting(scene.house, f"tables/{scene.table}/versions", rules, person="ann"),
        posting(scene.house, "tables", {**OPENING, **rules}, person="ann"),
    ):
        problem = refused(send, 422, "invalid_rules")
        assert [(error["field"], error["code"]) for error in problem["errors"]] == [(f"rules.spots[3].{field}", code)]


def test_odds_that_give_the_player_an_edge_need_the_operators_word(scene: Scene) -> None:
    body = {**OPENING, "rules": {"spots": written(tie="10:1")}}
    problem = refused(posting(scene.house, "tables", body, person="ann"), 422, "player_edge_not_accepted")
    assert problem["spots"] == ["tie"]


def test_odds_over_those_of_the_installation(scene: Scene) -> None:
    rules = {"spots": written(tie="10000:1", player="100:1", banker="100:1", commission=None)}
    body = {**OPENING, "accept_player_edge": True, "rules": rules}
    problem = refused(posting(scene.house, "tables", body, person="ann"), 422, "odds_too_high")
    assert problem["spots"] == ["player", "banker", "tie"]
    assert problem["highest_odds"] == {"player": "1:1", "banker": "1:1", "tie": "20:1"}


def test_play_money_that_the_rules_do_not_offer(scene: Scene) -> None:
    body = {**OPENING, "money_types": ["play"], "rules": {"play_money": False}}
    refused(posting(scene.house, "tables", body), 422, "play_money_not_offered")


def test_a_players_edge_that_nobody_accepted(scene: Scene) -> None:
    body = {**OPENING, "preset": "atlantic_city"}
    for accepted in ({}, {"accept_player_edge": False}):
        asked = posting(scene.house, "tables", {**body, **accepted}, person="ann")
        problem = refused(asked, 422, "player_edge_not_accepted")
        assert problem["spots"] == ["banker"]
    assert scene.house.post("tables", {**body, "money_types": ["play"]}).status_code == 201


# -- the request itself -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[]",
        b'[{"spot": "tie"}]',
        b'"tie"',
        b"null",
        b'{"spot": "tie", "spot": "banker"}',
        b'{"amount": NaN}',
        b'{"spot": "\xff"}',
        b"[" * 5000,
        b'{"spot": "\\u0000"}',
    ],
)
def test_malformed_json(scene: Scene, body: bytes) -> None:
    path = f"/api/v1/tables/{scene.table}/place"
    expected = (422, "invalid_fields") if body == b"" else (400, "malformed_json")
    refused(lambda: scene.alice.raw(path, body, **{"Idempotency-Key": "k"}), *expected)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_another_content_type(scene: Scene, kind: str) -> None:
    path, body = f"/api/v1/tables/{scene.table}/place", json.dumps(CHIPS).encode()
    refused(
        lambda: scene.alice.raw(path, body, content_type=kind, **{"Idempotency-Key": "k"}),
        415,
        "unsupported_media_type",
    )


def test_an_oversized_body(scene: Scene) -> None:
    path = f"/api/v1/tables/{scene.table}/place"
    body = json.dumps({**CHIPS, "note": "x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0)}).encode()
    refused(lambda: scene.alice.raw(path, body, **{"Idempotency-Key": "k"}), 413, "body_too_large")


@pytest.mark.parametrize("action", ACTIONS)
def test_a_missing_or_malformed_key(scene: Scene, action: str) -> None:
    path, body = f"/api/v1/tables/{scene.table}/{action}", json.dumps(ACTIONS[action]).encode()
    refused(lambda: scene.alice.raw(path, body), 400, "idempotency_key_required")
    refused(lambda: scene.alice.raw(path, body, **{"Idempotency-Key": "a b"}), 400, "idempotency_key_malformed")


def test_an_expired_token(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE operators_playersession SET expires_at = now() - interval '1 second' WHERE player_id = %s",
            [alice.id],
        )
    for action, body in ACTIONS.items():
        refused(posting(alice, f"tables/{table}/{action}", body), 401, "token_expired")
    for path in ("tables", f"tables/{table}", "rounds", "me/balances"):
        answer = alice.get(path)
        assert (answer.status_code, answer.json()["code"]) == (401, "token_expired")
        assert "invalid_token" in answer["WWW-Authenticate"]


LISTS = ("tables", "rounds", "tables/{table}/rounds")


@pytest.mark.parametrize(
    "cursor", ["", "???", "WzFd!", "W10", "Wy0xLCAyXQ", "eyJhIjoxfQ", "WyJub3QgYW4gaWQiXQ", "x" * 5000]
)
@pytest.mark.parametrize("path", LISTS)
def test_a_bad_cursor(scene: Scene, path: str, cursor: str) -> None:
    for caller in (scene.alice, scene.house):
        answer = caller.get(path.format(table=scene.table), cursor=cursor)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_cursor")


@pytest.mark.parametrize("limit", ["0", "-1", "501", "1.5", "", "ten", "\u0665", "9" * 30])
@pytest.mark.parametrize("path", LISTS)
def test_a_bad_limit(scene: Scene, path: str, limit: str) -> None:
    for caller in (scene.alice, scene.house):
        answer = caller.get(path.format(table=scene.table), limit=limit)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_limit")


@pytest.mark.parametrize("table", ["1", "nowhere", NOWHERE.upper() + "0", "%00", "..", "1' OR '1'='1"])
def test_an_id_that_is_none(scene: Scene, table: str) -> None:
    answer = scene.alice.get(f"tables/{table}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_every_code_that_a_refusal_can_have_is_explained(scene: Scene) -> None:
    codes = {line["code"] for line in scene.house.read("problems")["items"]}
    for code in (
        "unknown_spot",
        "duplicate_spot",
        "money_type_named_twice",
        "no_stakes",
        "unknown_table",
        "token_expired",
    ):
        assert code in codes
        assert scene.house.read(f"problems/{code}")["remedy"]
