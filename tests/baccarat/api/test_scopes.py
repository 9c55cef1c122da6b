"""A key does what its scopes allow and nothing else, at every operation."""

import json
import uuid
from collections import defaultdict
from typing import Any

import pytest

from casino.operators.principals import Scope
from casino.operators.services import issue_key
from tests.baccarat.api import contract
from tests.baccarat.api.contract import Operation
from tests.baccarat.api.people import JSON, NOWHERE, Caller, Tenant, whole_database

UNSCOPED = {"getKey", "rotateKey", "endKeyRotation", "addSigningKey", "removeSigningKey"}
"""They concern the key itself."""


def operations_by_scope() -> dict[str, list[Operation]]:
    by_scope = defaultdict(list)
    for operation in contract.operations():
        if "x-scope" in operation.document:
            by_scope[operation.document["x-scope"]].append(operation)
    return by_scope


def call(caller: Caller, operation: Operation) -> Any:
    ids = defaultdict(lambda: NOWHERE, version="1", number="1", keyid="none", code="none")
    body = (operation.request_examples() or [{}])[0]
    url = operation.path.format_map(ids)
    if operation.method == "get":
        return caller.get(url)
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    return caller.send(operation.method, url, data=json.dumps(body), content_type=JSON, headers=headers)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_key_that_lacks_one_scope_is_refused_where_it_is_needed(lucky: Tenant, scope: Scope) -> None:
    others = sorted(set(Scope) - {scope})
    key = Caller(".".join(issue_key(operator=uuid.UUID(lucky.id), scopes=others)))
    before = whole_database()

    operations = operations_by_scope()[scope]

    assert operations
    for operation in operations:
        answer = call(key, operation)
        refused = (operation.name, answer.status_code, answer.json()["code"], answer.json().get("scope"))
        assert refused == (operation.name, 403, "scope_missing", scope)
    assert whole_database() == before


def test_every_operation_for_keys_is_tried_here() -> None:
    tried = {operation.name for operations in operations_by_scope().values() for operation in operations}
    for_keys = {operation.name for operation in contract.operations() if "operatorKey" in operation.callers}
    assert for_keys - tried == UNSCOPED
