"""Changes that two persons agree on: requested over HTTP, decided by many at once, and applied when they are due."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from baccarat.services import voiding
from casino.events.sql import execute, fetch
from casino.operators import assertions, changes
from casino.operators.changes import ChangeKind
from casino.operators.models import AssertionKey, Change
from casino.operators.refusals import ChangeDecided, UnknownPlayer
from tests.baccarat.api.people import Tenant, sandbox_tenant, tenant
from tests.conftest import Database
from tests.support.protection import age_wishes
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


def set_play_money_cap(house: Tenant) -> tuple[str, dict[str, Any], Callable[[], bool]]:
    cap = {"amount": "20.00", "currency": "EUR"}
    return (
        "play-money-policy",
        {"cap": "20.00", "currency": "EUR"},
        lambda: house.read("play-money-policy")["cap"] == cap,
    )


def set_void_policy(house: Tenant) -> tuple[str, dict[str, Any], Callable[[], bool]]:
    return "void-policy", {"spent": "forgive"}, lambda: voiding.forgives_spent_winnings(operator=UUID(house.id))


def end_exclusion(house: Tenant) -> tuple[str, dict[str, Any], Callable[[], bool]]:
    player = house.player("Alice").id
    house.do(f"players/{player}/exclusions", {"kind": "self_exclusion", "months": 6})
    age_wishes(UUID(player), timedelta(days=200))
    return (
        f"players/{player}/exclusions/end",
        {},
        lambda: house.read(f"players/{player}/limits")["exclusion"] is None,
    )


@pytest.mark.django_db
@pytest.mark.parametrize("wish", [set_play_money_cap, set_void_policy, end_exclusion])
def test_what_one_person_asks_of_a_live_operator_waits_for_another_and_for_its_delay(
    wish: Callable[[Tenant], tuple[str, dict[str, Any], Callable[[], bool]]],
) -> None:
    house = tenant("lucky")
    path, body, is_done = wish(house)

    assert house.post(path, body).json()["code"] == "assertion_required"
    requested = house.post(path, body, person="anna")
    assert (requested.status_code, requested.json()["status"]) == (202, "requested")
    confirmed = house.do(f"changes/{requested.json()['id']}/confirm", person="bert")
    assert confirmed["status"] == "confirmed"
    assert (changes.apply_due(), is_done()) == (0, False)

    pass_a_day()
    assert (changes.apply_due(), is_done()) == (1, True)


@pytest.mark.django_db
@pytest.mark.parametrize("wish", [set_play_money_cap, set_void_policy, end_exclusion])
def test_what_a_sandbox_operator_asks_takes_effect_at_once(
    wish: Callable[[Tenant], tuple[str, dict[str, Any], Callable[[], bool]]],
) -> None:
    path, body, is_done = wish(house := sandbox_tenant("lucky"))
    assert house.post(path, body, person="anna").status_code == 200
    assert is_done()


def pass_a_day() -> None:
    execute("UPDATE operators_change SET effective_at = effective_at - interval '24 hours'")


@pytest.mark.django_db
def test_due_changes_are_applied_in_their_order_and_one_that_fails_blocks_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    house = tenant("lucky")
    applied: list[str] = []
    faults: dict[str, Exception] = {}

    def apply(change: Change) -> None:
        if change.subject in faults:
            raise faults[change.subject]
        applied.append(change.subject)

    monkeypatch.setitem(changes._kinds, "trial", ChangeKind("trial", permission="", apply=apply, delayed=True))
    wanted = [
        changes.request(
            operator=UUID(house.id), kind="trial", subject=subject, summary="A trial", details={}, by="desk:ann"
        )
        for subject in ("fourth", "broken", "refused", "first")
    ]
    for change in reversed(wanted):
        changes.confirm(change.pk, by="desk:bert")
    pass_a_day()
    faults.update(broken=ValueError("damaged"), refused=UnknownPlayer())
    applied.clear()

    assert changes.apply_due() == 3
    assert applied == ["first", "fourth"]
    assert f"ALERT the change {wanted[1].pk} can't take effect: ValueError" in caplog.text
    rows = fetch("SELECT subject, status FROM operators_change WHERE kind = 'trial'")
    assert dict(rows) == {
        "first": "effective", "refused": "cancelled", "broken": "confirmed", "fourth": "effective",
    }  # fmt: skip

    faults.clear()
    assert changes.apply_due() == 1
    assert applied[-1] == "broken"
