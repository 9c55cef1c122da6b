"""Keys are rotated while requests arrive: none of them fails, and what is removed is refused at once."""

import threading
from collections.abc import Callable

import pytest
from django.test import Client

from casino.operators import services
from tests.baccarat.api.people import sandbox_tenant, tenant
from tests.casino.operators.test_key_rotation import an_hour_passes, code, rotate
from tests.casino.operators.test_request_signatures import KEY, Signer, jwk_of, require, with_another
from tests.conftest import Database
from tests.threads import in_threads

CALLERS, REQUESTS = 4, 10
Call = Callable[[], str]


def under_load(old: Call, change: Callable[[], Call]) -> None:
    """Let half of the callers use the old key, others the newest one, before, while and after the key is changed."""
    newest, changed = [old], threading.Event()

    def ask(number: int) -> list[str]:
        if number == CALLERS:
            try:
                newest.append(change())
            finally:
                changed.set()
            return []
        answers: list[str] = []
        while not changed.is_set() or len(answers) < REQUESTS:
            answers.append((old if number % 2 else newest[-1])())
        return [*answers, *((old if number % 2 else newest[-1])() for _ in range(REQUESTS))]

    assert [set(answers) if isinstance(answers, list) else answers for answers in in_threads(CALLERS + 1, ask)] == [
        *[{"200"}] * CALLERS,
        set(),
    ]


def test_no_request_fails_while_a_secret_is_rotated_and_a_removed_one_is_refused_at_once(database: Database) -> None:
    assert database
    house = tenant("lucky")
    renewed = [house]

    def change() -> Call:
        renewed.append(rotate(house, overlap_seconds=3600))
        return lambda: code(renewed[-1].get("operator"))

    under_load(lambda: code(house.get("operator")), change)

    an_hour_passes()
    renewed[-1].do("operator/key/end-rotation")
    assert (code(house.get("operator")), code(renewed[-1].get("operator"))) == ("invalid_credentials", "200")
    services.revoke_key(key_id=house.credential.partition(".")[0])
    assert code(renewed[-1].get("operator")) == "invalid_credentials"


@pytest.mark.parametrize("required", [False, True])
def test_no_signature_fails_while_a_signing_key_is_added_and_a_removed_one_is_refused_at_once(
    database: Database, *, required: bool
) -> None:
    assert database
    house = sandbox_tenant("lucky")
    keyid = house.do("operator/key/signing-keys", {"jwk": jwk_of(KEY)})["keyid"]
    first, added = Signer(house, keyid, KEY.sign), list[Signer]()

    def change() -> Call:
        added.append(with_another(house))
        return added[0].get

    under_load(first.get, change)

    if required:
        require(house)
    path = f"/api/v1/operator/key/signing-keys/{keyid}"
    headers = added[0].headers("DELETE", path)
    assert Client().delete(path, headers=headers).status_code == 204
    assert (first.get(), added[0].get()) == ("request_signature_invalid", "200")
