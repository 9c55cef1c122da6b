"""Real persons over HTTP: who a signed assertion names, and what an operator's server can't do without one."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import Group, Permission, User

from casino.devstack.person import Person
from casino.events.sql import fetch
from casino.kernel.persons import is_another_person, normalise_subject
from casino.operators import assertions, changes
from casino.operators.assertions import HEADER
from casino.operators.models import AssertionKey, StaffSubject
from casino.operators.refusals import ChangeDecided, ChangeNeedsSecondPerson, InvalidAssertionKey, UnknownChange
from casino.significant.models import SignificantEvent
from casino.staff.duties import Role
from tests.baccarat.api.people import JSON, Tenant, tenant
from tests.support.changes import pass_hours
from tests.wallet.payments.counter import method as method_of
from tests.wallet.payments.counter import use_provider

pytestmark = pytest.mark.django_db
OFFER = {"name": "Card", "provider": "sandbox", "currency": "EUR", "minimum": "1.00", "maximum": "9.00"}
CREDIT = {"direction": "credit", "amount": "999999.00", "currency": "EUR", "reason": "promotion", "note": "Welcome"}


@pytest.fixture
def house() -> Tenant:
    return tenant("lucky")


def credit(house: Tenant) -> dict[str, Any]:
    return {**CREDIT, "player": house.player("Alice", funds="1.00").id}


def send(house: Tenant, path: str, body: Any, assertion: str) -> tuple[int, str]:
    """Send a POST with this assertion; return the status and the code of the problem."""
    headers = {"Idempotency-Key": uuid4().hex, HEADER: assertion}
    answer = house.send("post", path, data=json.dumps(body), content_type=JSON, headers=headers)
    return answer.status_code, answer.json().get("code", "")


def sign(house: Tenant, path: str, body: Any, person: str = "alice", **claims: Any) -> str:
    return house.assertion(person, "POST", path, json.dumps(body).encode(), **claims)


def test_one_person_under_two_spellings_moves_no_money(house: Tenant) -> None:
    adjustment = house.do("adjustments", credit(house), person="alice")["id"]

    for spelling in ("alice", "Alice", "ALICE", "\uff41lice"):
        refused = house.post(f"changes/{adjustment}/confirm", person=spelling)
        assert (refused.status_code, refused.json()["code"]) == (403, "change_needs_second_person")

    assert house.read("adjustments")["items"] == []
    assert house.do(f"changes/{adjustment}/confirm", person="Bert")["decided_by"] == house.actor("bert")
    posted = house.read(f"adjustments/{adjustment}")
    assert (posted["requested_by"], posted["approved_by"]) == (house.actor("alice"), house.actor("bert"))


def test_all_that_an_operators_server_holds_moves_no_money_and_changes_no_terms(house: Tenant) -> None:
    body = {**CREDIT, "player": house.do("players", {"reference": "mule", "nickname": "Mule"})["id"]}
    policy = {"auto_approve_up_to": "1000000.00", "second_approval_above": "1000000.00"}
    secret = house.credential.partition(".")[2]
    own = Ed25519PrivateKey.from_private_bytes(secret.encode()[:32])

    for path, wanted in (("adjustments", body), ("deposit-methods", OFFER), ("withdrawal-policy", policy)):
        assert house.post(path, wanted).json()["code"] == "assertion_required"
        assert house.post(path, {**wanted, "actor": "alice"}).json()["code"] in {"unknown_field", "assertion_required"}
        forged = Person(house.id, "alice", own).sign("POST", f"/api/v1/{path}", json.dumps(wanted).encode())
        assert send(house, path, wanted, forged) == (403, "assertion_invalid")

    assert house.read("adjustments")["items"] == house.read("changes")["items"] == []
    assert house.read("withdrawal-policy")["version"] == 0
    assert house.read("deposit-methods")["items"] == []


def test_an_assertion_is_good_once_and_for_its_request_alone(house: Tenant) -> None:
    body = credit(house)
    assertion = sign(house, "adjustments", body)

    assert send(house, "adjustments", {**body, "amount": "1.00"}, assertion) == (403, "assertion_invalid")
    assert send(house, "changes/" + str(uuid4()) + "/decline", {}, assertion) == (403, "assertion_invalid")
    assert send(house, "adjustments", body, assertion) == (202, "")
    assert send(house, "adjustments", body, assertion) == (403, "assertion_used")


def test_a_refused_request_leaves_its_assertion_unused(house: Tenant) -> None:
    body = credit(house) | {"note": " "}
    assertion = sign(house, "adjustments", body)

    assert [send(house, "adjustments", body, assertion)[0] for _ in range(2)] == [422, 422]
    assert fetch("SELECT count(*) FROM operators_usedassertion") == [(0,)]


def test_a_repeated_request_gets_its_answer_with_the_assertion_that_it_used(house: Tenant) -> None:
    body = credit(house)
    headers = {"Idempotency-Key": "once", HEADER: sign(house, "adjustments", body)}
    answers = [
        house.send("post", "adjustments", data=json.dumps(body), content_type=JSON, headers=headers) for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"iat": 1_700_000_000}, "assertion_expired"),
        ({"exp": 1_700_000_000}, "assertion_expired"),
        ({"iat": 4_000_000_000}, "assertion_invalid"),
        ({"iat": None}, "assertion_invalid"),
        ({"aud": "0199f3a2-0000-7000-8000-000000000404"}, "assertion_invalid"),
        ({"aud": None}, "assertion_invalid"),
        ({"jti": ""}, "assertion_invalid"),
        ({"jti": "x" * 201}, "assertion_invalid"),
        ({"sub": ""}, "assertion_invalid"),
        ({"sub": "Ann Smith"}, "assertion_invalid"),
        ({"sub": "staff/7"}, "assertion_invalid"),
        ({"request": {}}, "assertion_invalid"),
        ({"request": "POST"}, "assertion_invalid"),
    ],
)
def test_a_wrong_claim_is_refused(house: Tenant, claims: dict[str, Any], code: str) -> None:
    body = credit(house)
    assert send(house, "adjustments", body, sign(house, "adjustments", body, **claims)) == (403, code)


@pytest.mark.parametrize("assertion", ["x", "a.b.c", "e30.e30.", "é", "x" * 5000])
def test_what_is_no_assertion_is_refused(house: Tenant, assertion: str) -> None:
    assert send(house, "adjustments", credit(house), assertion) == (403, "assertion_invalid")


def test_a_removed_key_and_a_key_of_another_operator_sign_nothing(house: Tenant) -> None:
    other, body = tenant("golden"), credit(house)
    foreign = Ed25519PrivateKey.generate()
    assertions.register_key(
        operator=UUID(other.id),
        name="x",
        jwk=Person("", "", foreign).jwk,
        subject="alice",
        requested_by="",
        confirmed_by="",
    )
    theirs = Person(house.id, "alice", foreign).sign("POST", "/api/v1/adjustments", json.dumps(body).encode())
    assert send(house, "adjustments", body, theirs) == (403, "assertion_invalid")

    house.person("alice")
    (key,) = AssertionKey.objects.filter(operator_id=house.id)
    assertions.remove_key(key.pk, by="staff:1")
    assertions.remove_key(key.pk, by="staff:1")
    assert send(house, "adjustments", body, sign(house, "adjustments", body)) == (403, "assertion_invalid")


def test_a_key_of_one_person_names_nobody_else(house: Tenant) -> None:
    own, body = Ed25519PrivateKey.generate(), credit(house)
    anna = Person(house.id, "Anna", own)
    change = assertions.request_key(
        operator=UUID(house.id), name="Anna's", jwk=json.dumps(anna.jwk), subject="ANNA", by="staff:1"
    )
    changes.confirm(change.pk, by="staff:2")
    user = User.objects.create_user("anna", is_staff=True)
    user.groups.add(Group.objects.get(name=Role.CASHIER))
    StaffSubject.objects.create(user=user, operator_id=house.id, subject="anna")
    encoded = json.dumps(body).encode()

    assert send(house, "adjustments", body, anna.sign("POST", "/api/v1/adjustments", encoded)) == (202, "")
    bert = Person(house.id, "bert", own).sign("POST", "/api/v1/adjustments", encoded)
    assert send(house, "adjustments", body, bert) == (403, "assertion_invalid")


def test_a_key_for_anybody_makes_nobody_a_second_person_at_a_live_operator(house: Tenant) -> None:
    anybody, body = Ed25519PrivateKey.generate(), credit(house)
    jwk = Person("", "", anybody).jwk
    with pytest.raises(InvalidAssertionKey):
        assertions.request_key(operator=UUID(house.id), name="IdP", jwk=json.dumps(jwk), subject="", by="staff:1")
    AssertionKey.objects.create(
        id=uuid4(), operator_id=house.id, key_id=Person("", "", anybody).key_id, name="IdP", jwk=jwk, subject=""
    )

    for invented in ("invented-one", "invented-two"):
        signed = Person(house.id, invented, anybody).sign("POST", "/api/v1/adjustments", json.dumps(body).encode())
        assert send(house, "adjustments", body, signed) == (403, "assertion_invalid")


def test_a_person_without_an_account_in_use_is_nobody_at_a_live_operator(house: Tenant) -> None:
    key, body = Ed25519PrivateKey.generate(), credit(house)
    carl = Person(house.id, "carl", key)
    assertions.register_key(
        operator=UUID(house.id), name="Carl's", jwk=carl.jwk, subject="carl", requested_by="", confirmed_by=""
    )

    def answer() -> tuple[int, str]:
        signed = carl.sign("POST", "/api/v1/adjustments", json.dumps(body).encode())
        return send(house, "adjustments", body, signed)

    assert answer() == (403, "assertion_invalid")
    user = User.objects.create_user("carl", is_staff=True)
    user.groups.add(Group.objects.get(name=Role.CASHIER))
    StaffSubject.objects.create(user=user, operator_id=house.id, subject="carl")
    assert answer() == (202, "")
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert answer() == (403, "assertion_invalid")


def test_a_key_is_registered_by_two_persons(house: Tenant) -> None:
    jwk = json.dumps(Person("", "", Ed25519PrivateKey.generate()).jwk)

    def request(by: str) -> UUID:
        return assertions.request_key(operator=UUID(house.id), name="IdP", jwk=jwk, subject="anna", by=by).pk

    with pytest.raises(ChangeNeedsSecondPerson):
        request("operator:op_1")
    change = request("staff:1")
    for by in ("staff:1", "STAFF:1", "desk:anna", "operator:op_1", "command"):
        with pytest.raises(ChangeNeedsSecondPerson):
            changes.confirm(change, by=by)
    assert not AssertionKey.objects.filter(name="IdP").exists()

    changes.confirm(change, by="staff:2")

    key = AssertionKey.objects.get(name="IdP")
    assert (key.requested_by, key.confirmed_by) == ("staff:1", "staff:2")
    event = SignificantEvent.objects.filter(authorised_by="staff:2").get()
    assert (event.kind, event.actor, event.operator_id) == ("access_changed", "staff:1", UUID(house.id))
    with pytest.raises(InvalidAssertionKey):
        request("staff:1")
    with pytest.raises(ChangeDecided):
        changes.confirm(change, by="staff:3")


@pytest.mark.parametrize(
    "jwk",
    [
        "",
        "[]",
        "{}",
        '{"kty": "oct", "k": "AAAA"}',
        '{"kty": "EC", "crv": "P-384", "x": "AAAA", "y": "AAAA"}',
        '{"kty": "OKP", "crv": "Ed25519", "x": "short"}',
        '{"kty": "RSA", "n": "AQAB", "e": "AQAB"}',
        '{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "d": "nWGxne_9WmC6"}',
    ],
)
def test_a_key_that_is_weak_private_or_none_is_refused(house: Tenant, jwk: str) -> None:
    with pytest.raises(InvalidAssertionKey):
        assertions.request_key(operator=UUID(house.id), name="IdP", jwk=jwk, subject="anna", by="staff:1")


def test_the_flag_of_a_superuser_is_no_duty_by_assertions_either(house: Tenant) -> None:
    root = User.objects.create_superuser("root")
    StaffSubject.objects.create(user=root, operator_id=house.id, subject="root")
    refused = house.post("adjustments", credit(house), person="root")
    assert (refused.json()["code"], refused.json()["act"]) == ("duty_missing", "wallet.request_adjustment")


def test_a_member_of_staff_is_one_person_with_the_same_duties_by_whichever_door(house: Tenant) -> None:
    user = User.objects.create_user("anna", is_staff=True)
    StaffSubject.objects.create(user=user, operator_id=house.id, subject="anna")
    refused = house.post("adjustments", credit(house), person="Anna")
    assert (refused.json()["code"], refused.json()["act"]) == ("duty_missing", "wallet.request_adjustment")
    user.groups.add(Group.objects.get(name=Role.CASHIER))
    adjustment = house.do("adjustments", credit(house), person="Anna")

    assert adjustment["requested_by"] == f"staff:{user.pk}"
    user.user_permissions.set(Permission.objects.all())
    refused = house.post(f"changes/{adjustment['id']}/confirm", person="anna")
    assert refused.json()["code"] == "change_needs_second_person"


@pytest.mark.parametrize(
    ("actor", "first", "another"),
    [
        ("staff:2", "staff:1", True),
        ("desk:bert", "desk:alice", True),
        ("staff:1", "staff:1", False),
        ("desk:Alice", "desk:alice", False),
        ("desk:\uff41lice", "desk:alice", False),
        ("staff:1", "desk:alice", False),
        ("operator:op_2", "operator:op_1", False),
        ("operator:op_2", "staff:1", False),
        ("staff:1", "command", False),
        ("desk:", "desk:alice", False),
    ],
)
def test_who_counts_as_another_person(actor: str, first: str, another: bool) -> None:
    assert is_another_person(actor, first) is another
    assert is_another_person(first, actor) is another


def test_subjects_have_one_spelling() -> None:
    assert [normalise_subject(text) for text in ("Agent-17", "\uff21gent-17", "agent-17")] == ["agent-17"] * 3
    assert [normalise_subject(text) for text in ("", " ", "a b", "-a", "a" * 61, "\u0430lice")] == [None] * 6


def test_live_terms_take_effect_after_two_persons_and_a_delay_and_can_be_cancelled(
    house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = {"auto_approve_up_to": "50.00", "second_approval_above": "500.00"}
    anna, bert = house.actor("anna"), house.actor("bert")

    def confirmed() -> dict[str, Any]:
        change = house.post("withdrawal-policy", policy, person="anna")
        assert (change.status_code, change.json()["status"]) == (202, "requested")
        alone = house.post(f"changes/{change.json()['id']}/confirm", person="Anna")
        assert alone.json()["code"] == "change_needs_second_person"
        done: dict[str, Any] = house.do(f"changes/{change.json()['id']}/confirm", person="bert")
        assert (done["status"], done["requested_by"], done["decided_by"]) == ("confirmed", anna, bert)
        return done

    cancelled = confirmed()
    assert house.do(f"changes/{cancelled['id']}/cancel")["status"] == "cancelled"
    pass_hours(monkeypatch)
    assert changes.apply_due() == 0

    waiting = confirmed()
    assert waiting["effective_at"] > waiting["decided_at"]
    assert changes.apply_due() == 0
    assert house.read("withdrawal-policy")["version"] == 0
    pass_hours(monkeypatch)
    assert (changes.apply_due(), changes.apply_due()) == (1, 0)
    assert house.read("withdrawal-policy")["auto_approve_up_to"]["amount"] == "50.00"
    assert house.read(f"changes/{waiting['id']}")["status"] == "effective"
    assert house.post(f"changes/{waiting['id']}/cancel").json()["code"] == "change_decided"
    assert [each["status"] for each in house.pages("changes", limit=1)] == ["effective", "cancelled"]


def test_terms_that_make_no_sense_are_refused_when_they_are_requested(house: Tenant) -> None:
    wrong = house.post("withdrawal-policy", {"auto_approve_up_to": "5.00", "second_approval_above": "1.00"}, person="a")
    assert wrong.json()["code"] == "invalid_withdrawal_policy"
    assert house.read("changes")["items"] == []


def test_another_operator_sees_and_decides_no_change(house: Tenant) -> None:
    change = house.do("withdrawal-policy", {"auto_approve_up_to": "0", "second_approval_above": "0"}, person="a")["id"]
    rival = tenant("rival")

    assert rival.read("changes")["items"] == []
    for answer in (
        rival.get(f"changes/{change}"),
        *(rival.post(f"changes/{change}/{act}", person="b") for act in ("confirm", "decline", "cancel")),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_change")
    with pytest.raises(UnknownChange):
        changes.confirm(UUID(change), operator=UUID(rival.id), by="desk:b")


def test_a_live_operators_deposit_methods_wait_for_a_second_person(
    house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_provider(monkeypatch)
    method = method_of(UUID(house.id)).id
    for path in ("deposit-methods", f"deposit-methods/{method}/versions"):
        requested = house.post(path, {**OFFER, "name": "Bank"}, person="anna")
        assert (requested.status_code, requested.json()["status"]) == (202, "requested")
    assert [each["name"] for each in house.read("deposit-methods")["items"]] == ["Card"]
