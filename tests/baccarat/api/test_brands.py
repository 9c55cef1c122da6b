"""Two brands of one operator, each with players of its own: neither sees or touches the other's tables."""

import re
import uuid
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import pytest

from casino.events import sealer
from casino.operators import brands
from tests.baccarat.api.people import LONG_TURN, NOWHERE, Caller, Gambler, Tenant, bet, deal_all, sit, tenant
from tests.baccarat.api.people import whole_database as everything
from tests.baccarat.api.test_isolation import call, callers_of, operations_of, readable, told
from tests.conftest import Database
from tests.support.keys import issue_key

SOMETHING = defaultdict(lambda: "1", chat_report=NOWHERE)
"""What addresses name beside tables and rounds."""


@dataclass(frozen=True, slots=True)
class Brands:
    """Ruby of the brand red has played at its table, and Ben is a player of the brand blue."""

    operator: Tenant
    red: Caller
    blue: Caller
    ruby: Gambler
    ben: Gambler
    ours: Mapping[str, str]
    running: str


def player_of(house: Tenant, key: Caller, name: str) -> Gambler:
    player = key.do("players", {"reference": uuid.uuid4().hex, "nickname": name})["id"]
    house.fund(player, "900.00")
    return Gambler(key.do(f"players/{player}/sessions", {})["token"], player)


@pytest.fixture(scope="module")
def scene(module_database: Database) -> Brands:
    del module_database
    lucky = tenant("lucky")
    keys = []
    for slug in ("red", "blue"):
        brand = brands.create_brand(operator=UUID(lucky.id), slug=slug, name=slug, shares_players=False, by="test")
        keys.append(Caller(".".join(issue_key(operator=UUID(lucky.id), brand=brand.id))))
    red, blue = keys
    ruby, ben = player_of(lucky, red, "Ruby"), player_of(lucky, blue, "Ben")
    table = lucky.table("mini", brands=["red"], rules=LONG_TURN)
    sit(ruby, table, buy_in="100.00")
    bet(ruby, table, banker="5.00")
    deal_all()
    message = ruby.do(f"tables/{table}/chat", {"text": "Good evening"})["id"]
    state = lucky.read(f"tables/{table}")
    bet(ruby, table, banker="5.00")
    sealer.seal_all()
    ours = {"table": table, "round": state["last_round"]["id"], "message": message, "player": ruby.id}
    return Brands(lucky, red, blue, ruby, ben, ours, lucky.read(f"tables/{table}")["round"]["id"])


@pytest.mark.parametrize("area", ["lobby_and_tables", "rules", "play", "rounds_and_proofs", "chat"])
def test_a_table_of_another_brand_is_as_unknown_as_one_that_never_was(scene: Brands, area: str) -> None:
    nothing = SOMETHING | dict.fromkeys(scene.ours, NOWHERE)
    callers = {"playerToken": scene.ben, "operatorKey": scene.blue}
    before = everything()
    for operation in operations_of(area):
        if not re.search("{(table|round)}", operation.path):
            continue
        for kind in callers_of(operation):
            for ours in (scene.ours, {**scene.ours, "round": scene.running}):
                guessed, unknown = (told(call(callers[kind], operation, SOMETHING | ids)) for ids in (ours, nothing))
                assert guessed == unknown, operation.name
                assert re.fullmatch("unknown_.*|key_is_of_a_brand", guessed[1]["code"]), operation.name
    assert everything() == before


def test_nothing_that_a_brands_player_or_key_can_read_names_another_brands(scene: Brands) -> None:
    bens = SOMETHING | dict.fromkeys(scene.ours, NOWHERE) | {"player": scene.ben.id}
    secrets = {*scene.ours.values(), scene.running}
    for caller, kind in ((scene.ben, "playerToken"), (scene.blue, "operatorKey")):
        for name, text in readable(caller, kind, bens).items():
            assert [secret for secret in secrets if secret in text] == [], name


def test_a_player_reads_tables_and_rounds_of_the_own_brand(scene: Brands) -> None:
    table, round_ = scene.ours["table"], scene.ours["round"]
    for caller in (scene.ruby, scene.operator):
        for page in ("", "/odds", "/fairness", "/statistics", "/rounds"):
            caller.read(f"tables/{table}{page}")
        for page in ("", "/events", "/shoe", "/proof"):
            caller.read(f"rounds/{round_}{page}")
    assert len(scene.ruby.read(f"tables/{table}/chat")["items"]) == 1
    for page in ("", "/odds", "/fairness", "/statistics"):
        scene.red.read(f"tables/{table}{page}")


def test_a_players_lobby_is_that_of_the_players_brand(scene: Brands) -> None:
    table = scene.ours["table"]
    for caller in (scene.operator, scene.red):
        assert table in [line["id"] for line in caller.read("lobby", player=scene.ruby.id)["items"]]
        assert caller.read("lobby", player=scene.ruby.id) == scene.ruby.read("lobby")
    assert scene.operator.read("lobby", player=scene.ben.id) == scene.ben.read("lobby")
    assert table not in [line["id"] for line in scene.operator.read("lobby", player=scene.ben.id)["items"]]
    refused = scene.blue.get("lobby", player=scene.ruby.id)
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_player")


def test_a_launch_leads_to_no_table_of_another_brand(scene: Brands) -> None:
    launch = {"player": {"reference": "1"}, "table": scene.ours["table"], "currency": "EUR"}
    before = everything()
    refused = scene.blue.post("launches", launch)
    unknown = scene.blue.post("launches", {**launch, "table": NOWHERE})
    assert told(refused) == told(unknown)
    assert refused.json()["code"] == "unknown_table"
    for player in ({"reference": "1"}, {"reference": "1", "brand": "blue"}):
        refused = scene.operator.post("launches", {**launch, "player": player})
        assert (refused.status_code, refused.json()["code"]) == (403, "table_not_offered")
    assert everything() == before
    assert scene.red.post("launches", launch).status_code == 201
    assert scene.operator.post("launches", {**launch, "player": {"reference": "2", "brand": "red"}}).status_code == 201


def test_a_player_under_another_brand_still_reads_the_rounds_that_they_bet_in(scene: Brands) -> None:
    operator = UUID(scene.operator.id)
    brands.create_brand(operator=operator, slug="gold", name="Gold", shares_players=True, by="test")
    alice = scene.operator.player("Alice")
    golden = Gambler(scene.operator.do(f"players/{alice.id}/sessions", {"brand": "gold"})["token"], alice.id)
    table = scene.operator.table("mini", brands=["gold"], rules=LONG_TURN)
    sit(golden, table)
    bet(golden, table, banker="5.00")
    deal_all()
    golden.do(f"tables/{table}/leave")
    sealer.seal_all()
    plain = Gambler(scene.operator.do(f"players/{alice.id}/sessions", {})["token"], alice.id)
    (round_,) = plain.read("rounds")["items"]
    for page in ("", "/events", "/shoe", "/proof"):
        plain.read(f"rounds/{round_['id']}{page}")
    assert plain.read(f"tables/{table}")["you"] is None
    seat = {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"}
    assert plain.post(f"tables/{table}/seat", seat).json()["code"] == "unknown_table"
