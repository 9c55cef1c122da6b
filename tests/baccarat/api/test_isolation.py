"""No operator and no player sees or touches what is another operator's, by any id that they guess."""

import json
import uuid
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from casino.operators.assertions import HEADER, request_key
from tests.baccarat.api import contract
from tests.baccarat.api.contract import Operation
from tests.baccarat.api.people import (
    JSON,
    NOWHERE,
    Caller,
    Gambler,
    Tenant,
    bet,
    company,
    deal_all,
    tenant,
    whole_database,
)
from tests.conftest import Database

JWK = json.dumps({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
WALLETS = {
    "getPlayer", "creditSandboxPlayer", "getPlayerBalances", "getPlayerStatement", "getMyBalances", "getMyTableLimit",
    "setMyTableLimit",
}  # fmt: skip
GUARDED = [
    operation
    for operation in contract.operations()
    if (operation.tag in {"baccarat", "operators", "feed"} and operation.callers) or operation.name in WALLETS
]
WITH_AN_ID = [operation for operation in GUARDED if "{" in operation.path]
FOR_OPERATORS = [operation for operation in GUARDED if operation.callers == {"operatorKey"}]
FOR_PLAYERS = [operation for operation in GUARDED if operation.callers == {"playerToken"}]


def named(operation: Operation) -> str:
    return operation.name


@dataclass(frozen=True, slots=True)
class Scene:
    """Alice and Bob play at a table of one operator; Charlie is a player of another, who has a table too."""

    lucky: Tenant
    alice: Gambler
    bob: Gambler
    table: str
    round: str
    running: str
    message: str
    report: str
    change: str
    webhook: str
    golden: Tenant
    charlie: Gambler

    def ids(self) -> dict[str, str]:
        """Return ids that could be guessed, by the names of path parameters."""
        ids = {"table": self.table, "round": self.round, "player": self.alice.id, "change": self.change}
        return {**ids, "version": "1", "message": self.message, "report": self.report, "webhook": self.webhook}

    def secrets(self) -> set[str]:
        """Return texts that the other operator must never see."""
        ids = {*self.ids().values(), self.bob.id, self.running, self.lucky.id, self.lucky.slug}
        return (ids - {"1"}) | {self.lucky.credential.split(".")[0]}


@pytest.fixture(scope="module")
def scene(module_database: Database) -> Scene:
    lucky, golden = tenant("lucky"), tenant("golden")
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    bet(alice, table, banker="100.00")
    bet(bob, table, player="25.00", tie="25.00")
    deal_all()
    bet(bob, table, tie="25.00")
    state = lucky.read(f"tables/{table}")
    said = alice.do(f"tables/{table}/chat", {"text": "Good evening"})["id"]
    report = bob.do(f"tables/{table}/chat/{said}/report")["id"]
    change = str(request_key(operator=UUID(lucky.id), name="Own", jwk=JWK, subject="", by="staff:1").pk)
    webhook = lucky.do("webhooks", {"url": "https://lucky.example/webhooks"})["id"]
    golden.table("mini")
    charlie = golden.player("Charlie")
    last, running = state["last_round"]["id"], state["round"]["id"]
    return Scene(lucky, alice, bob, table, last, running, said, report, change, webhook, golden, charlie)


def call(caller: Caller, operation: Operation, ids: dict[str, str]) -> Any:
    """Call an operation with its documented example as the body, and return the response."""
    body = (operation.request_examples() or [{}])[0]
    if operation.method == "get":
        return caller.get(operation.url(ids))
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    data = json.dumps(body)
    if isinstance(caller, Tenant):
        url = operation.url(ids)
        headers[HEADER] = caller.assertion("agent-17", operation.method.upper(), url, data.encode())
    return caller.send(operation.method, operation.url(ids), data=data, content_type=JSON, headers=headers)


def told(answer: Any) -> tuple[int, Any]:
    """Return what a response says, without the address and the request's id."""
    document = {name: value for name, value in answer.json().items() if name not in {"instance", "request_id"}}
    return answer.status_code, document


@pytest.mark.parametrize("operation", WITH_AN_ID, ids=named)
def test_what_is_anothers_is_as_unknown_as_what_never_was(scene: Scene, operation: Operation) -> None:
    nothing = {**dict.fromkeys(scene.ids(), NOWHERE), "version": "1"}
    callers = {"operatorKey": scene.golden, "playerToken": scene.charlie}
    before = whole_database()
    for name in operation.callers:
        guessed, unknown = (told(call(callers[name], operation, ids)) for ids in (scene.ids(), nothing))
        assert guessed == unknown
        assert guessed[0] == 404
        assert guessed[1]["code"].startswith("unknown_")
    assert whole_database() == before


@pytest.mark.parametrize("operation", WITH_AN_ID, ids=named)
def test_an_operator_is_no_player_and_a_player_no_operator_with_ids_of_their_own_either(
    scene: Scene, operation: Operation
) -> None:
    callers = {"operatorKey": scene.lucky, "playerToken": scene.alice}
    before = whole_database()
    for name in callers.keys() - operation.callers:
        answer = call(callers[name], operation, scene.ids())
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert whole_database() == before


def test_the_running_round_and_its_events_are_unknown_to_others(scene: Scene) -> None:
    for caller in (scene.golden, scene.charlie):
        for page in ("", "/events"):
            answer = caller.get(f"rounds/{scene.running}{page}")
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_round")


@pytest.mark.parametrize("operation", FOR_OPERATORS, ids=named)
def test_a_players_token_opens_nothing_of_the_operators(scene: Scene, operation: Operation) -> None:
    before = whole_database()
    answer = call(scene.alice, operation, scene.ids())
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert whole_database() == before


@pytest.mark.parametrize("operation", FOR_PLAYERS, ids=named)
def test_an_operators_key_does_nothing_in_a_players_name(scene: Scene, operation: Operation) -> None:
    before = whole_database()
    answer = call(scene.lucky, operation, scene.ids())
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert whole_database() == before


@pytest.mark.parametrize("operation", GUARDED, ids=named)
def test_nothing_is_open_to_the_street(scene: Scene, operation: Operation) -> None:
    body = (operation.request_examples() or [{}])[0]
    send = getattr(Client(raise_request_exception=False), operation.method)
    answer = send(operation.url(scene.ids()), data=body, content_type=JSON, headers={"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")


def readable(caller: Caller, kind: str, ids: dict[str, str]) -> dict[str, str]:
    """Everything that a caller can read, by operation, as text."""
    return {
        operation.name: json.dumps(call(caller, operation, ids).json())
        for operation in GUARDED
        if operation.method == "get" and kind in operation.callers
    }


def test_nothing_that_others_can_read_names_anything_of_ours(scene: Scene) -> None:
    charlies = {**dict.fromkeys(scene.ids(), NOWHERE), "player": scene.charlie.id, "version": "1"}
    for caller, kind in ((scene.golden, "operatorKey"), (scene.charlie, "playerToken")):
        for name, text in readable(caller, kind, charlies).items():
            assert [secret for secret in scene.secrets() if secret in text] == [], name


def test_a_statement_at_anothers_table_is_as_empty_as_at_none(scene: Scene) -> None:
    for table in (scene.table, NOWHERE):
        assert scene.charlie.read("me/statement", account="game", table=table)["items"] == []


def test_a_cursor_of_another_opens_nothing(scene: Scene) -> None:
    theirs = scene.lucky.read("rounds", limit=1)["next"]
    assert theirs is not None
    text = json.dumps(scene.golden.read("rounds", cursor=theirs))
    assert not any(secret in text for secret in scene.secrets())


def test_a_player_sees_the_ids_of_no_other_player(scene: Scene) -> None:
    key = scene.lucky.credential.split(".")[0]
    for me, other in ((scene.alice, scene.bob), (scene.bob, scene.alice)):
        for round_ in (scene.round, scene.running):
            seen = readable(me, "playerToken", {**scene.ids(), "round": round_})
            assert [name for name, text in seen.items() if other.id in text or key in text] == []
            assert me.id in seen["listRoundEvents"]


def test_an_operator_sees_who_sat_where_and_who_won_what(scene: Scene) -> None:
    shown = scene.lucky.read(f"rounds/{scene.round}")
    assert [seat["player"] for seat in shown["seats"]] == [scene.alice.id, scene.bob.id]
    assert {seat["player"] for seat in scene.lucky.read(f"tables/{scene.table}")["seats"]} == {
        scene.alice.id, scene.bob.id,
    }  # fmt: skip
    settled = scene.lucky.read(f"rounds/{scene.round}/events")["items"][-1]
    assert [wager["player"] for wager in settled["data"]["wagers"]] == [scene.alice.id, scene.bob.id]


def test_a_round_that_runs_shows_no_seed_and_no_card(scene: Scene) -> None:
    for caller in (scene.alice, scene.bob, scene.lucky):
        shown = caller.read(f"rounds/{scene.running}")
        assert (shown["cards"], shown["seed"], shown["outcome"], shown["phase"]) == ([], None, None, "betting")
