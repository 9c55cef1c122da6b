"""No operator and no player sees or touches what is another operator's, by any id that they guess."""

import json
import re
import uuid
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from casino.compliance import cases
from casino.events import sealer
from casino.feed import writer
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
from tests.operations import AREAS, PROVIDER, PUBLIC, ROWS
from tests.wallet.api.test_reconciliation import record_discrepancies
from tests.wallet.payments.counter import method as method_of
from tests.wallet.payments.counter import use_provider

FAR, ROOM = 7_000_000_000_000, 10_000
PROOFS = {"getRoundProof", "getCheckpoint", "getConsistencyProof", "getInclusionProof"}
EVERYBODYS = {"version": "1", "number": "1", "keyid": "no-key"}
ADJUSTMENT = {
    "direction": "credit", "money_type": "real", "amount": "5.00", "currency": "EUR", "reason": "goodwill",
    "note": "A long wait.", "message": "Thank you for your patience.",
}  # fmt: skip
JWK = json.dumps({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
STRANGER = Caller("")
LOG = "/api/v1/log/"
"""Checkpoints and their proofs are everybody's: whoever has a receipt checks it with them."""


@pytest.fixture(autouse=True)
def _forces_cards(settings: Settings) -> None:
    settings.FORCED_CARDS = True


NAMED_BY_EACH = {"setSkin"}
"""They create what has this name, for each operator its own."""


def is_guarded(name: str) -> bool:
    """Return whether a credential is needed; tests/baccarat/streaming listens to the stream."""
    return not ROWS[name].by & {PUBLIC, PROVIDER} and name != "followStream"


GUARDED = tuple(filter(is_guarded, ROWS))
in_each_area = pytest.mark.parametrize("area", [area for area, names in AREAS.items() if any(map(is_guarded, names))])


def operations_of(area: str) -> list[Operation]:
    return [contract.named(name) for name in AREAS[area] if is_guarded(name)]


def callers_of(operation: Operation) -> set[str]:
    """Return who may call an operation by its row."""
    return ROWS[operation.name].callers


def has_an_id(operation: Operation) -> bool:
    """Return whether what is an operator's own is named in the address."""
    return "{" in operation.path and not operation.path.startswith(LOG) and operation.name not in NAMED_BY_EACH


@dataclass(frozen=True, slots=True)
class Scene:
    """Alice and Bob play at a table of one operator; Charlie is a player of another, who has a table too."""

    lucky: Tenant
    alice: Gambler
    bob: Gambler
    running: str
    ours: Mapping[str, str]
    golden: Tenant
    charlie: Gambler

    @property
    def table(self) -> str:
        return self.ours["table"]

    @property
    def round(self) -> str:
        return self.ours["round"]

    def ids(self) -> dict[str, str]:
        """Return ids that could be guessed, by the names of parameters in addresses, bodies and queries."""
        return {**self.ours, **EVERYBODYS}

    def secrets(self) -> set[str]:
        """Return texts that the other operator must never see."""
        ids = {*self.ours.values(), self.bob.id, self.running, self.lucky.id, self.lucky.slug}
        return ids | {self.lucky.credential.split(".")[0]}


@pytest.fixture(scope="module")
def answers() -> list[tuple[str, Any]]:
    """Collect each operation's name and answer, of whoever asked."""
    return []


@pytest.fixture(scope="module")
def scene(module_database: Database, answers: list[tuple[str, Any]]) -> Generator[Scene]:
    count_from_far_away(module_database)
    with pytest.MonkeyPatch.context() as patch:
        use_provider(patch)
        patch.setattr(contract, "check", partial(check_and_collect, answers, contract.check))
        yield set_up()


def count_from_far_away(database: Database) -> None:
    """Let every number that the installation gives begin at one that occurs nowhere else."""
    with database.owner() as owner:
        sequences = owner.execute("SELECT sequencename, data_type::text FROM pg_sequences").fetchall()
        for name, kind in sequences:
            if kind == "bigint":
                owner.execute("SELECT setval(%s::regclass, %s)", [name, FAR])
        owner.execute("INSERT INTO events_seal (position, event_id, digest) VALUES (%s, 0, %s)", [FAR, bytes(32)])


def check_and_collect(answers: list[tuple[str, Any]], check: Any, method: str, path: str, answer: Any) -> None:
    check(method, path, answer)
    if answer.headers.get("Content-Type", "").endswith("json"):
        answers.append((contract.operation_of(method, path).name, answer.json()))


def set_up() -> Scene:
    lucky, golden = tenant("lucky"), tenant("golden")
    for house in (lucky, golden):
        house.person("agent-17")
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    bet(alice, table, banker="100.00")
    bet(bob, table, player="25.00", tie="25.00")
    deal_all()
    bet(bob, table, tie="25.00")
    state = lucky.read(f"tables/{table}")
    message = alice.do(f"tables/{table}/chat", {"text": "Good evening"})["id"]
    lucky.agree("operator/funding", {"funding": "transfer"})
    transfer = {"reference": "lucky-tx-1", "direction": "in", "amount": "5.00", "currency": "EUR"}
    lucky.do(f"players/{alice.id}/transfers", transfer)
    lucky.agree("operator/funding", {"funding": "house"})
    method = str(method_of(UUID(lucky.id)).id)
    payment = {"method": method, "amount": "50.00", "currency": "EUR"}
    adjustment = lucky.do("adjustments", {**ADJUSTMENT, "player": alice.id}, person="agent-1")["id"]
    lucky.do(f"changes/{adjustment}/confirm", person="agent-2")
    case = cases.open_case(operator=UUID(lucky.id), kind="return_out_of_band", subject=f"table:{table}", details={})
    ours = {
        "table": table,
        "round": state["last_round"]["id"],
        "wager": lucky.read(f"rounds/{state['last_round']['id']}")["seats"][0]["wager"],
        "shoe": state["last_round"]["shoe"],
        "player": alice.id,
        "message": message,
        "chat_report": bob.do(f"tables/{table}/chat/{message}/report")["id"],
        "change": str(request_key(operator=UUID(lucky.id), name="Own", jwk=JWK, subject="carl", by="staff:1").pk),
        "webhook": lucky.webhook("https://lucky.example/webhooks")["id"],
        "method": method,
        "deposit": alice.do("me/deposits", payment)["id"],
        "withdrawal": alice.do("me/withdrawals", payment)["id"],
        "hold": lucky.read("holds")["items"][0]["id"],
        "adjustment": adjustment,
        "reference": transfer["reference"],
        "notice": alice.read("notices")["items"][0]["id"],
        "discrepancy": record_discrepancies(lucky, "p1")[0],
        "report": lucky.do("reports", {"name": "revenue", "period": "lifetime"})["id"],
        "case": str(case),
        "name": "lucky-night",
        "export": alice.do("me/data-exports")["id"],
    }
    assert call(lucky, contract.named("setSkin"), ours).status_code == 200
    golden.table("mini")
    charlie = golden.player("Charlie")
    sealer.seal_all()
    while writer.write_new_items():
        pass
    return Scene(lucky, alice, bob, state["round"]["id"], ours, golden, charlie)


def call(
    caller: Caller, operation: Operation, ids: dict[str, str], *, signed: bool = True, change: Any = (), **query: str
) -> Any:
    """Call an operation with its documented example, in which some fields change, as the body; return the response."""
    if operation.tag == "chat":
        ids = {**ids, "report": ids["chat_report"]}
    url = operation.url(ids)
    if operation.method == "get":
        return caller.get(url, **query)
    data = json.dumps({**(operation.request_examples() or [{}])[0], **dict(change)})
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    if isinstance(caller, Tenant) and signed:
        headers[HEADER] = caller.assertion("agent-17", operation.method.upper(), url, data.encode())
    return caller.send(operation.method, url, data=data, content_type=JSON, headers=headers)


def told(answer: Any) -> tuple[int, Any]:
    """Return what a response says, without its address, the request's id and what it quotes from the address."""
    document = {name: value for name, value in answer.json().items() if name not in {"instance", "request_id"}}
    if "detail" in document:
        document["detail"] = re.sub(r"'[^']*'", "''", document["detail"])
    return answer.status_code, document


@in_each_area
def test_what_is_anothers_is_as_unknown_as_what_never_was(scene: Scene, area: str) -> None:
    nothing = {**dict.fromkeys(scene.ours, NOWHERE), **EVERYBODYS}
    callers = {"operatorKey": scene.golden, "playerToken": scene.charlie}
    before = whole_database()
    for operation in filter(has_an_id, operations_of(area)):
        for name in callers_of(operation):
            guessed, unknown = (told(call(callers[name], operation, ids)) for ids in (scene.ids(), nothing))
            assert guessed == unknown, operation.name
            expected = (403, "sandbox") if ROWS[operation.name].sandbox else (404, "unknown_")
            assert guessed[0] == expected[0], operation.name
            assert expected[1] in guessed[1]["code"], operation.name
    assert whole_database() == before


@in_each_area
def test_an_operator_is_no_player_and_a_player_no_operator_with_ids_of_their_own_either(
    scene: Scene, area: str
) -> None:
    callers = {"operatorKey": scene.lucky, "playerToken": scene.alice}
    before = whole_database()
    for operation in operations_of(area):
        for name in callers.keys() - callers_of(operation):
            answer = call(callers[name], operation, scene.ids())
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), operation.name
    assert whole_database() == before


@in_each_area
def test_what_persons_sign_for_is_refused_to_a_key_alone(scene: Scene, area: str) -> None:
    before = whole_database()
    for operation in operations_of(area):
        if ROWS[operation.name].persons:
            answer = call(scene.lucky, operation, scene.ids(), signed=False)
            assert (answer.status_code, answer.json()["code"]) == (403, "assertion_required"), operation.name
    assert whole_database() == before


@in_each_area
def test_nothing_is_open_to_the_street(scene: Scene, area: str) -> None:
    for operation in operations_of(area):
        answer = call(STRANGER, operation, scene.ids())
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated"), operation.name


def test_the_running_round_and_its_events_are_unknown_to_others(scene: Scene) -> None:
    for caller in (scene.golden, scene.charlie):
        for page in ("", "/events"):
            answer = caller.get(f"rounds/{scene.running}{page}")
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_round")


def readable(caller: Caller, kind: str, ids: dict[str, str]) -> dict[str, str]:
    """Everything that a caller can read, by operation, as text. Reading changes nothing."""
    before = whole_database()
    texts = {
        operation.name: call(caller, operation, ids).getvalue().decode(errors="replace")
        for operation in map(contract.named, GUARDED)
        if operation.method == "get" and kind in callers_of(operation)
    }
    assert whole_database() == before
    return texts


def test_nothing_that_others_can_read_names_anything_of_ours(scene: Scene) -> None:
    charlies = {**dict.fromkeys(scene.ours, NOWHERE), **EVERYBODYS, "player": scene.charlie.id}
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
            named = [name for name, text in seen.items() if other.id in text or key in text]
            assert set(named) <= PROOFS  # they have events byte by byte
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


@in_each_area
def test_anothers_id_in_a_query_selects_nothing(scene: Scene, area: str) -> None:
    charlies = {**dict.fromkeys(scene.ours, NOWHERE), **EVERYBODYS, "player": scene.charlie.id}
    callers = {"operatorKey": scene.golden, "playerToken": scene.charlie}
    for operation, name in ((each, name) for each in operations_of(area) for name in each.query_ids()):
        for kind in callers_of(operation):
            guessed, unknown = (
                told(call(callers[kind], operation, charlies, **{name: value}))
                for value in (scene.ids()[name], NOWHERE)
            )
            assert guessed == unknown, operation.name
            assert not any(secret in str(guessed) for secret in scene.secrets()), operation.name


@in_each_area
def test_anothers_id_in_a_body_is_as_unknown_as_none(scene: Scene, area: str) -> None:
    charlies = {**dict.fromkeys(scene.ours, NOWHERE), **EVERYBODYS, "player": scene.charlie.id}
    callers: dict[str, Caller] = {"operatorKey": scene.golden, "playerToken": scene.charlie}
    before = whole_database()
    for operation, name in ((each, name) for each in operations_of(area) for name in each.body_ids()):
        for kind in callers_of(operation):
            guessed, unknown = (
                told(call(callers[kind], operation, charlies, change={name: value}))
                for value in (scene.ids()[name], NOWHERE)
            )
            assert guessed == unknown, operation.name
            assert 400 <= guessed[0] < 500, operation.name
    assert whole_database() == before


def numbers_in(part: Any, path: str = "") -> Iterator[str]:
    """Yield where a number of the installation is in an answer, as a number or inside of a text."""
    match part:
        case dict():
            for name, inner in part.items():
                yield from numbers_in(inner, f"{path}.{name}")
        case list():
            for inner in part:
                yield from numbers_in(inner, f"{path}[]")
        case bool() | None:
            return
        case int() if FAR <= part < FAR + ROOM:
            yield path
        case str() if re.search(rf"(?<!\d){str(FAR)[:-4]}\d{{4}}(?!\d)", part):
            yield path


def test_no_answer_has_a_position_or_a_number_of_the_whole_installation(
    scene: Scene, answers: list[tuple[str, Any]]
) -> None:
    for caller, kind in ((scene.lucky, "operatorKey"), (scene.alice, "playerToken")):
        texts = readable(caller, kind, scene.ids())
        assert len(texts) > 20
        assert [name for name, text in texts.items() if name not in PROOFS and list(numbers_in(text))] == []
    assert {name for name, _ in answers} >= {"deal", "takeSeat", "readFeed", "recoverGame", "getMyStatement"}
    found = {f"{name}{path}" for name, answer in answers if name not in PROOFS for path in numbers_in(answer)}
    assert found == set()


NUMBERS = {"position", "entry", "event", "event_id", "entry_id", "seal", "cause", "after"}


def test_no_schema_but_those_of_proofs_has_a_number_of_the_whole_installation() -> None:
    schemas = contract.document()["components"]["schemas"]
    named = {
        f"{component}.{name}"
        for component, schema in schemas.items()
        for name, member in schema.get("properties", {}).items()
        if name in NUMBERS and "integer" in str(member)
    }
    assert {each for each in named if not re.match(r"Proof|Inclusion", each)} == FEED_NUMBERS


FEED_NUMBERS = {"ReplayRequest.after"}
"""They are the operator's own."""
