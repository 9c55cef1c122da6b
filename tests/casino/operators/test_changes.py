"""Changes that two persons agree on, decided by many at once."""

import json
from uuid import UUID

from casino.operators import assertions, changes
from casino.operators.models import AssertionKey
from casino.operators.refusals import ChangeDecided
from tests.baccarat.api.people import tenant
from tests.conftest import Database
from tests.threads import in_threads

JWK = json.dumps({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})


def test_of_fifty_confirmations_at_once_one_applies_the_change(database: Database) -> None:
    assert database
    house = tenant("lucky")
    change = assertions.request_key(operator=UUID(house.id), name="IdP", jwk=JWK, subject="", by="staff:1").pk

    outcomes = in_threads(50, lambda number: changes.confirm(change, by=f"staff:{number + 2}").status)

    assert sum(isinstance(outcome, ChangeDecided) for outcome in outcomes) == 49
    assert outcomes.count("effective") == 1
    assert AssertionKey.objects.filter(name="IdP").count() == 1
