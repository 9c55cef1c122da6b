"""Changes that two persons agree on: requested over HTTP, decided by many at once, and applied when they are due."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from baccarat.services import voiding
from casino.events.sql import execute, fetch
from casino.kernel.findings import Finding
from casino.operators import assertions, changes
from casino.operators.change_audit import ChangeTraces
from casino.operators.changes import ChangeKind
from casino.operators.models import AssertionKey, Change
from casino.operators.refusals import ChangeAlreadyRequested, ChangeDecided, ChangeNeedsSecondPerson, UnknownPlayer
from casino.staff.duties import Act, DutySide
from tests.baccarat.api.people import Tenant, sandbox_tenant, tenant
from tests.conftest import Database
from tests.support.changes import pass_hours
from tests.support.protection import age_wishes
from tests.threads import in_threads

JWK = json.dumps({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})


def test_of_fifty_confirmations_at_once_one_applies_the_change(database: Database) -> None:
    assert database
    house = tenant("lucky")
    change = assertions.request_key(operator=UUID(house.id), name="IdP", jwk=JWK, subject="anna", by="staff:1").pk

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
    house.do(f"players/{player}/exclusions", {"kind": "self_exclusion", "months": 6, "set_by": "operator"})
    age_wishes(UUID(player), timedelta(days=200))
    return (
        f"players/{player}/exclusions/end",
        {},
        lambda: house.read(f"players/{player}/limits")["exclusion"] is None,
    )


def trial_act(persons: int, **more: Any) -> Act:
    return Act("operators.try", "try", DutySide.DO, scope="configure", persons=persons, event="config_changed", **more)


@pytest.mark.django_db
@pytest.mark.parametrize("wish", [set_play_money_cap, set_void_policy, end_exclusion])
def test_what_one_person_asks_of_a_live_operator_waits_for_another_and_for_its_delay(
    wish: Callable[[Tenant], tuple[str, dict[str, Any], Callable[[], bool]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    house = tenant("lucky")
    path, body, is_done = wish(house)

    assert house.post(path, body).json()["code"] == "assertion_required"
    requested = house.post(path, body, person="anna")
    assert (requested.status_code, requested.json()["status"]) == (202, "requested")
    confirmed = house.do(f"changes/{requested.json()['id']}/confirm", person="bert")
    assert confirmed["status"] == "confirmed"
    assert (changes.apply_due(), is_done()) == (0, False)

    pass_hours(monkeypatch)
    assert (changes.apply_due(), is_done()) == (1, True)


@pytest.mark.django_db
@pytest.mark.parametrize("wish", [set_play_money_cap, set_void_policy, end_exclusion])
def test_what_a_sandbox_operator_asks_takes_effect_at_once(
    wish: Callable[[Tenant], tuple[str, dict[str, Any], Callable[[], bool]]],
) -> None:
    path, body, is_done = wish(house := sandbox_tenant("lucky"))
    assert house.post(path, body, person="anna").status_code == 200
    assert is_done()


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

    monkeypatch.setitem(changes._kinds, "trial", ChangeKind("trial", trial_act(2, delayed=True), apply))
    wanted = [
        changes.request(
            operator=UUID(house.id), kind="trial", subject=subject, summary="A trial", details={}, by="desk:ann"
        )
        for subject in ("fourth", "broken", "refused", "first")
    ]
    for change in reversed(wanted):
        changes.confirm(change.pk, by="desk:bert")
    pass_hours(monkeypatch)
    faults.update(broken=ValueError("damaged"), refused=UnknownPlayer())
    applied.clear()

    assert changes.apply_due() == 3
    assert applied == ["first", "fourth"]
    assert f"ALERT the change {wanted[1].pk} can't take effect: ValueError" in caplog.text
    rows = fetch("SELECT subject, status FROM operators_change WHERE kind = 'trial'")
    assert dict(rows) == {
        "first": "effective", "refused": "failed", "broken": "confirmed", "fourth": "effective",
    }  # fmt: skip

    faults.clear()
    assert changes.apply_due() == 1
    assert applied[-1] == "broken"


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Register a change that needs three persons; return what was applied."""
    applied: list[str] = []
    kind = ChangeKind("trial", trial_act(3), lambda change: applied.append(change.subject))
    monkeypatch.setitem(changes._kinds, "trial", kind)
    return applied


def ask(house: Tenant) -> UUID:
    asked = changes.request(
        operator=UUID(house.id), kind="trial", subject="all", summary="A trial", details={"depth": 1}, by="desk:ann"
    )
    return asked.pk


@pytest.mark.django_db
def test_a_change_that_needs_three_persons_takes_effect_with_the_third(trial: list[str]) -> None:
    change = ask(tenant("lucky"))
    trial.clear()

    assert (changes.confirm(change, by="desk:bert").status, trial) == ("requested", [])
    for again in ("desk:ann", "desk:bert", "desk:Bert", "staff:3", "key:op_1"):
        with pytest.raises(ChangeNeedsSecondPerson):
            changes.confirm(change, by=again)
    third = changes.confirm(change, by="desk:cleo")

    assert (third.status, trial) == ("effective", ["all"])
    assert (third.confirmed_by, third.decided_by) == (["desk:bert", "desk:cleo"], "desk:cleo")
    assert found() == []


@pytest.mark.django_db
def test_a_request_that_nobody_confirms_expires_after_three_days(
    trial: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change = ask(tenant("lucky"))
    pass_hours(monkeypatch, 71)
    assert changes.apply_due() == 0
    pass_hours(monkeypatch, 2)
    with pytest.raises(ChangeDecided):
        changes.confirm(change, by="desk:bert")

    assert (changes.apply_due(), changes.apply_due()) == (1, 0)
    assert Change.objects.get(pk=change).status == "expired"
    assert found() == []


@pytest.mark.django_db
def test_a_request_whose_time_is_over_stands_in_the_way_of_no_other(
    trial: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(changes._kinds, "trial", replace(changes._kinds["trial"], alone=True))
    first = ask(house := tenant("lucky"))
    with pytest.raises(ChangeAlreadyRequested):
        ask(house)
    pass_hours(monkeypatch, 73)

    second = ask(house)

    waits = changes.waiting("trial", "all")
    assert waits is not None
    assert waits.pk == second
    assert changes.apply_due() == 1
    assert Change.objects.get(pk=first).status == "expired"
    with pytest.raises(ChangeAlreadyRequested):
        ask(house)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE operators_change SET decided_by = 'desk:mallory'", "row differs"),
        ("UPDATE operators_change SET details = '{\"depth\": 9}'", "row differs"),
        ("DELETE FROM operators_change", "row is missing"),
    ],
)
def test_a_row_that_differs_from_its_events_is_found(trial: list[str], statement: str, kind: str) -> None:
    change = ask(tenant("lucky"))
    for by in ("desk:bert", "desk:cleo"):
        changes.confirm(change, by=by)
    execute(statement)
    assert {finding.kind for finding in found()} == {kind}


@pytest.mark.django_db
def test_a_step_that_its_rule_refuses_is_found(trial: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    change = ask(tenant("lucky"))
    with monkeypatch.context() as patch:
        patch.setattr("casino.operators.change.is_new_person", lambda *_: True)
        changes.confirm(change, by="desk:ann")
        changes.confirm(change, by="desk:ann")
    assert "change against its rule" in {finding.kind for finding in found()}


def found() -> list[Finding]:
    """Audit all changes."""
    traces, findings = ChangeTraces(), []
    rows = fetch("SELECT stream, version, type, schema, data::text FROM events_event ORDER BY id")
    own = (row for row in rows if row[0].startswith("change-"))
    for stream, version, name, schema, data in own:
        event = changes.CHANGE_EVENTS.decode(name, schema, data)
        findings += traces.replay(event, stream=stream, version=version, where=stream)
    return [*findings, *traces.check_state()]
