"""API keys of a live operator: what gives them power takes two persons, and what takes power away takes one."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from casino.events.sql import database_now, execute
from casino.mail.models import Email
from casino.operators import changes, key_changes, key_limits, services, signing_keys
from casino.operators.change import ChangeStatus
from casino.operators.key_changes import NewSecret
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.key_models import KeyLimit
from casino.operators.models import ApiKey, Change, Operator
from casino.operators.refusals import (
    ChangeNeedsSecondPerson,
    InvalidOrigin,
    KeyLimitReached,
    MoneyKeyUnlimited,
    RotationUnderWay,
    SignaturesRequireKey,
)
from casino.staff import act_audit
from casino.staff.duties import Role
from tests.baccarat.api.people import sandbox_tenant, tenant
from tests.casino.operators.test_request_signatures import KEY, jwk_of
from tests.casino.staff.test_access_changes import member
from tests.support.keys import issue_key

pytestmark = pytest.mark.django_db
ANN, BEN = "staff:1", "staff:2"
ORIGIN = "https://play.lucky.example"
CAPPED = {"EUR": KeyLimits(per_request=1_000, per_day=5_000)}


@pytest.fixture
def lucky() -> Operator:
    return services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)


@pytest.fixture
def key(lucky: Operator) -> ApiKey:
    key_id, _ = issue_key(operator=lucky.pk, scopes=["read", "play"])
    return ApiKey.objects.select_related("operator").get(pk=key_id)


def issue(operator: Operator, **terms: Any) -> NewSecret:
    usual = {"label": "Cashier", "scopes": ["read"], "networks": [], "expires_at": None, "limits": {}, "brand": None}
    return key_changes.issue(operator, **{**usual, **terms}, by=ANN)


def opens(made: NewSecret) -> bool:
    headers = {"Authorization": f"Bearer {made.name}.{made.secret}"}
    return Client().get("/api/v1/operator", headers=headers).status_code == 200


def confirm(change: Change | None, by: str = BEN) -> None:
    assert change is not None
    changes.confirm(change.pk, by=by)


def test_a_key_that_one_administrator_issued_opens_nothing_until_another_confirms(lucky: Operator) -> None:
    made = issue(lucky)
    assert not opens(made)
    with pytest.raises(ChangeNeedsSecondPerson):
        confirm(made.change, by=ANN)
    assert not opens(made)

    confirm(made.change)

    assert opens(made)
    assert made.secret not in str(Change.objects.values_list("details", "summary"))


@pytest.mark.parametrize(
    "lacking", [{"limits": {}}, {"limits": {"EUR": KeyLimits(per_request=1)}}, {"networks": []}, {"expires_at": None}]
)
def test_a_key_for_money_needs_limits_by_day_networks_and_an_end(lucky: Operator, lacking: dict[str, Any]) -> None:
    terms = {
        "scopes": ["money"],
        "networks": ["203.0.113.0/24"],
        "expires_at": database_now() + timedelta(days=30),
        "limits": CAPPED,
    }
    with pytest.raises(MoneyKeyUnlimited):
        issue(lucky, **{**terms, **lacking})

    made = issue(lucky, **terms)
    confirm(made.change)

    assert {(row.movement, row.per_day) for row in key_limits.list_limits(made.name)} == {
        (each, 5_000) for each in Movement
    }
    with pytest.raises(KeyLimitReached):
        key_limits.count(made.name, Movement.CREDIT, 1_001, "EUR")


def test_a_secret_that_one_administrator_rotated_opens_nothing_until_another_confirms(key: ApiKey) -> None:
    made = key_changes.rotate(key, by=ANN)
    assert not opens(made)

    confirm(made.change)

    assert opens(made)
    with pytest.raises(RotationUnderWay):
        key_changes.rotate(key, by=ANN)


def terms_of(key: ApiKey) -> tuple[Any, ...]:
    row = ApiKey.objects.get(pk=key.pk)
    return (row.scopes, row.networks, row.expires_at)


SOON = datetime(2099, 1, 1, tzinfo=UTC)
TERMS: dict[str, Any] = {"scopes": ["play", "read"], "networks": ["203.0.113.0/24"], "expires_at": SOON}


@pytest.mark.parametrize(
    ("change", "wider"),
    [
        ({"scopes": ["read"]}, False),
        ({"networks": ["203.0.113.8/29"]}, False),
        ({"expires_at": SOON - timedelta(days=1)}, False),
        ({"scopes": ["configure", "play", "read"]}, True),
        ({"networks": []}, True),
        ({"networks": ["203.0.113.0/24", "198.51.100.0/24"]}, True),
        ({"expires_at": None}, True),
        ({"expires_at": SOON + timedelta(days=1)}, True),
    ],
)
def test_one_person_lets_a_live_key_do_less_and_two_let_it_do_more(
    lucky: Operator, change: dict[str, Any], wider: bool
) -> None:
    key_id, _ = issue_key(operator=lucky.pk, **TERMS)
    key, wanted = ApiKey.objects.get(pk=key_id), {**TERMS, **change}
    waits = key_changes.set_terms(key, **wanted, by=ANN)
    after = tuple(wanted.values())
    assert (waits is not None, terms_of(key)) == (wider, tuple(TERMS.values()) if wider else after)
    if waits is not None:
        confirm(waits)
    assert terms_of(key) == after
    assert {finding.kind for finding in act_audit.check()} <= {act_audit.ALONE}, "the key that the test issued"


def test_no_terms_of_a_key_for_money_go_without_networks_an_end_and_limits(lucky: Operator) -> None:
    key_id, _ = issue_key(operator=lucky.pk, **TERMS)
    key = ApiKey.objects.get(pk=key_id)
    wanted = {**TERMS, "scopes": ["money"]}
    with pytest.raises(MoneyKeyUnlimited):
        key_changes.set_terms(key, **wanted, by=ANN)
    limit(key, 5_000)
    for lacking in ({"networks": []}, {"expires_at": None}):
        with pytest.raises(MoneyKeyUnlimited):
            key_changes.set_terms(key, **{**wanted, **lacking}, by=ANN)
    confirm(key_changes.set_terms(key, **wanted, by=ANN))
    assert terms_of(key)[0] == ["money"]


def limit(key: ApiKey, per_day: int | None, movement: Movement = Movement.CREDIT) -> Change | None:
    limits = None if per_day is None else KeyLimits(per_day=per_day)
    return key_changes.set_limit(key, movement=movement, currency="EUR", limits=limits, by=ANN)


def caps(key: ApiKey) -> dict[str, int | None]:
    return {row.movement: row.per_day for row in key_limits.list_limits(key.pk)}


def test_a_limit_is_lowered_by_one_and_raised_or_removed_by_two(key: ApiKey) -> None:
    assert limit(key, 500) is None  # of a key that moved any amount
    assert limit(key, 400) is None
    waiting = [limit(key, 401), limit(key, None), limit(key, 100, Movement.DEBIT)]
    assert caps(key) == {"credit": 400}

    for change in waiting:
        confirm(change)

    assert caps(key) == {"debit": 100}
    assert limit(key, 0, Movement.DEBIT) is None
    assert caps(key) == {"debit": 0}


def test_the_last_limit_of_a_key_for_money_stays(lucky: Operator) -> None:
    key_id, _ = issue_key(operator=lucky.pk, scopes=["money"])
    key = ApiKey.objects.get(pk=key_id)
    for other in {*Movement} - {Movement.CREDIT}:
        assert limit(key, None, other) is None
    with pytest.raises(MoneyKeyUnlimited):
        limit(key, None)
    with pytest.raises(MoneyKeyUnlimited):
        key_changes.set_limit(key, movement=Movement.CREDIT, currency="EUR", limits=KeyLimits(per_request=9), by=ANN)
    assert [*caps(key)] == ["credit"]


def test_what_two_changes_would_only_together_take_from_a_key_for_money_stays(lucky: Operator) -> None:
    key_id, _ = issue_key(operator=lucky.pk, **TERMS)
    key = ApiKey.objects.get(pk=key_id)
    limit(key, 500)
    unlimited = limit(key, None)
    confirm(key_changes.set_terms(key, **{**TERMS, "scopes": ["money"]}, by=ANN))
    with pytest.raises(MoneyKeyUnlimited):
        confirm(unlimited)
    assert caps(key) == {"credit": 500}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE operators_apikey SET networks = '{}'",
        "UPDATE operators_apikey SET expires_at = NULL",
        "UPDATE operators_keylimit SET per_day = NULL WHERE movement = 'credit'",
        "DELETE FROM operators_keylimit",
    ],
)
def test_the_database_keeps_the_bounds_of_a_live_operators_key_for_money(lucky: Operator, statement: str) -> None:
    key, _ = issue_key(operator=lucky.pk)
    bounds = list(KeyLimit.objects.values()), terms_of(ApiKey(key))
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    with pytest.raises(IntegrityError, match="needs limits by day, networks and an end"), transaction.atomic():
        execute(statement)
    assert (list(KeyLimit.objects.values()), terms_of(ApiKey(key))) == bounds


def test_signatures_are_required_by_one_and_done_without_by_two(lucky: Operator, key: ApiKey) -> None:
    _, change = key_changes.add_signing_key(key, jwk=json.dumps(jwk_of(KEY)), by=ANN)
    with pytest.raises(SignaturesRequireKey):
        signing_keys.require(key_id=key.pk, required=True, by=ANN)
    confirm(change)
    signing_keys.require(key_id=key.pk, required=True, by=ANN)
    signing_keys.require_of_all(lucky, required=True, by=ANN)
    waiting = [key_changes.accept_unsigned(lucky, by=ANN), key_changes.accept_unsigned(lucky, key, by=ANN)]
    key.refresh_from_db()
    assert (key.signatures_required, key.operator.signatures_required) == (True, True)

    for change in waiting:
        confirm(change)

    key.refresh_from_db()
    assert (key.signatures_required, key.operator.signatures_required) == (False, False)


def test_an_origin_is_removed_by_one_and_added_by_two_who_add_nothing_else(lucky: Operator) -> None:
    def now() -> list[str]:
        lucky.refresh_from_db()
        return lucky.origins

    with pytest.raises(InvalidOrigin):
        key_changes.set_origins(lucky, ["*"], by=ANN)
    confirm(key_changes.set_origins(lucky, [ORIGIN, "https://old.example"], by=ANN))
    assert now() == ["https://old.example", ORIGIN]
    more = key_changes.set_origins(lucky, [*now(), "https://new.example"], by=ANN)
    assert key_changes.set_origins(lucky, [ORIGIN], by=BEN) is None
    assert now() == [ORIGIN]

    confirm(more)

    assert now() == ["https://new.example", ORIGIN]  # what one removed meanwhile stays away


def test_over_http_a_signing_key_and_an_origin_take_two_persons() -> None:
    house = tenant("lucky")
    body = {"jwk": jwk_of(KEY)}
    assert house.post("operator/key/signing-keys", body).json()["code"] == "assertion_required"
    asked = house.do("operator/key/signing-keys", body, person="ann")
    assert house.read("operator/key")["signing_keys"] == []
    assert house.post(f"changes/{asked['id']}/confirm", person="ann").status_code == 403

    house.do(f"changes/{asked['id']}/confirm", person="ben")

    assert [each["keyid"] for each in house.read("operator/key")["signing_keys"]] == [asked["keyid"]]
    origins = {"data": {"origins": [ORIGIN]}, "content_type": "application/json"}
    assert house.send("put", "operator/origins", **origins).json()["code"] == "assertion_required"
    assert house.read("operator/origins")["origins"] == []


def test_all_of_it_is_done_at_once_at_a_sandbox() -> None:
    operator = services.get_operator(UUID(sandbox_tenant("sandy").id))
    made = issue(operator, scopes=["money", "read"])
    key = ApiKey.objects.select_related("operator").get(pk=made.name)
    assert opens(made)
    assert opens(key_changes.rotate(key, by=ANN))
    assert (limit(key, 500), limit(key, 600), limit(key, None)) == (None, None, None)
    assert key_changes.add_signing_key(key, jwk=json.dumps(jwk_of(KEY)), by=ANN)[1] is None
    assert key_changes.set_origins(operator, [ORIGIN], by=ANN) is None
    assert key_changes.accept_unsigned(operator, by=ANN) is None
    assert not Change.objects.filter(status=ChangeStatus.REQUESTED).exists()


def test_every_administrator_of_the_operator_is_told_of_a_request_for_a_key(lucky: Operator) -> None:
    ann = member("ann", Role.ADMINISTRATOR, operator=lucky, email="ann@lucky.example")
    member("cat", Role.ADMINISTRATOR, operator=lucky, email="cat@lucky.example")
    member("sue", Role.SUPPORT, operator=lucky, email="sue@lucky.example")

    key_changes.issue(
        lucky,
        label="Cashier",
        scopes=["read"],
        networks=[],
        expires_at=None,
        limits={},
        brand=None,
        by=f"staff:{ann.pk}",
    )

    assert list(Email.objects.values_list("address", flat=True)) == ["cat@lucky.example"]
