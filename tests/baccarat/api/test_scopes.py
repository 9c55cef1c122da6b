"""A key does what its scopes allow and nothing else, at every operation."""

import json
import uuid
from collections import defaultdict
from typing import Any

import pytest

from casino.operators.principals import Scope
from casino.staff import duties
from tests.baccarat.api import contract
from tests.baccarat.api.people import JSON, NOWHERE, Caller, Tenant, whole_database
from tests.operations import KEY, ROWS
from tests.support.keys import issue_key


def key_with(house: Tenant, *scopes: Scope) -> Caller:
    return Caller(".".join(issue_key(operator=uuid.UUID(house.id), scopes=scopes)))


def call(caller: Caller, name: str) -> Any:
    operation = contract.named(name)
    url = operation.url(defaultdict(lambda: NOWHERE, version="1", number="1", keyid="none", code="none"))
    if operation.method == "get":
        return caller.get(url)
    data = json.dumps((operation.request_examples() or [{}])[0])
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    return caller.send(operation.method, url, data=data, content_type=JSON, headers=headers)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_key_that_lacks_one_scope_is_refused_where_it_is_needed(lucky: Tenant, scope: Scope) -> None:
    key = key_with(lucky, *sorted(set(Scope) - {scope}))
    before = whole_database()
    for name in (name for name, row in ROWS.items() if scope in row.by):
        answer = call(key, name)
        refused = (answer.status_code, answer.json().get("code"), answer.json().get("scope"))
        assert refused == (403, "scope_missing", scope), name
    assert whole_database() == before


@pytest.mark.parametrize("scope", list(Scope))
def test_a_key_of_any_scope_manages_itself(lucky: Tenant, scope: Scope) -> None:
    for name in (name for name, row in ROWS.items() if KEY in row.by):
        answer = call(key_with(lucky, scope), name)
        assert answer.status_code == 204 or answer.json().get("code") != "scope_missing", name


def test_what_a_key_changes_is_an_act_of_which_the_document_says_side_and_persons() -> None:
    of_keys = {name: row for name, row in ROWS.items() if row.by & {*Scope, KEY}}
    changing = {name: row for name, row in of_keys.items() if contract.named(name).method != "get"}
    for name, row in changing.items():
        duty = contract.named(name).document["x-duty"]
        act = duties.find(duty["act"])
        assert duty == {"act": act.name, "side": act.side, "persons": act.persons, "delayed": act.delayed}, name
        assert {act.scope} & set(Scope) == row.by & set(Scope), name
        assert act.assertion or not row.persons, name
