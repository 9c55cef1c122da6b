"""Rotation of an API key's secret: two are valid side by side, and a lost answer locks nobody out."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from casino.events.sql import execute
from casino.mail.models import Email
from casino.operators import key_rotation, services
from casino.operators.models import ApiKey, StaffMembership
from casino.operators.refusals import UnknownKey
from casino.significant.models import SignificantEvent
from casino.staff.duties import Role
from tests.baccarat.api.people import Tenant, sandbox_tenant, tenant
from tests.support.keys import issue_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucky() -> Tenant:
    return tenant("lucky")


def other(house: Tenant, credential: str) -> Tenant:
    """Return the same operator with another credential."""
    return Tenant(credential, house.id, house.slug)


def rotate(house: Tenant, **body: Any) -> Tenant:
    return other(house, house.do("operator/key/rotate", body)["credential"])


def an_hour_passes() -> None:
    execute("UPDATE operators_apikey SET secret_since = secret_since - interval '1 hour'")


def code(answer: Any) -> str:
    return str(answer.json().get("code", answer.status_code))


def test_both_secrets_are_valid_until_the_previous_one_ends(lucky: Tenant) -> None:
    renewed = rotate(lucky, overlap_seconds=3600)

    assert lucky.read("operator")["key_id"] == renewed.read("operator")["key_id"]
    key = renewed.read("operator/key")
    assert key["previous_used_at"] is not None
    assert key["previous_ends_at"] > key["secret_since"]

    execute("UPDATE operators_apikey SET previous_ends_at = clock_timestamp()")
    assert code(lucky.get("operator")) == "invalid_credentials"
    assert renewed.get("operator").status_code == 200


def test_the_newest_secret_ends_the_previous_one_after_an_hour(lucky: Tenant) -> None:
    assert code(lucky.post("operator/key/end-rotation")) == "no_rotation"
    renewed = rotate(lucky)
    an_hour_passes()

    assert code(lucky.post("operator/key/end-rotation")) == "previous_secret_used"
    assert renewed.do("operator/key/end-rotation")["previous_ends_at"] is None
    assert code(lucky.get("operator")) == "invalid_credentials"
    assert code(renewed.post("operator/key/end-rotation")) == "no_rotation"


def test_a_third_secret_is_refused_while_two_are_in_use(lucky: Tenant) -> None:
    renewed = rotate(lucky)
    renewed.read("operator")

    refused = [house.post("operator/key/rotate") for house in (lucky, renewed)]

    assert [code(each) for each in refused] == ["rotation_under_way"] * 2
    assert {each.json()["until"] for each in refused} == {renewed.read("operator/key")["previous_ends_at"]}
    an_hour_passes()
    renewed.do("operator/key/end-rotation")
    assert rotate(renewed).get("operator").status_code == 200


def test_a_stolen_secret_locks_nobody_out_within_an_hour_and_the_operator_is_told(lucky: Tenant) -> None:
    owner = User.objects.create_user("owner", email="owner@lucky.example", is_staff=True)
    owner.groups.set(Group.objects.filter(name=Role.ADMINISTRATOR))
    StaffMembership.objects.create(user=owner, operator_id=lucky.id)
    for seconds in (0, 3599):
        assert code(lucky.post("operator/key/rotate", {"overlap_seconds": seconds})) == "rotation_too_quick"

    thief = rotate(lucky, overlap_seconds=3600)

    assert code(thief.post("operator/key/end-rotation")) == "rotation_too_quick"
    assert lucky.get("operator").status_code == 200
    assert Email.objects.get(address="owner@lucky.example").subject.endswith("was rotated")
    key_rotation.end(key_id=ApiKey.objects.get().pk, by="staff:7")
    assert code(lucky.get("operator")) == "invalid_credentials"


def test_a_sandbox_rotates_at_once() -> None:
    sandbox = sandbox_tenant("sandy")
    rotate(sandbox, overlap_seconds=0)
    assert code(sandbox.get("operator")) == "invalid_credentials"


def test_an_answer_that_was_lost_is_repeated_or_replaced(lucky: Tenant) -> None:
    answers = [lucky.post("operator/key/rotate", {}, key="the-same").json() for _ in range(2)]
    assert answers[0] == answers[1]
    lost = other(lucky, answers[0]["credential"])

    renewed = rotate(lucky)

    assert code(lost.get("operator")) == "invalid_credentials"
    assert {house.get("operator").status_code for house in (lucky, renewed)} == {200}


def test_a_rotation_changes_neither_the_end_of_a_key_nor_its_scopes(lucky: Tenant) -> None:
    issued = ".".join(issue_key(operator=ApiKey.objects.get().operator_id, scopes=["play"]))
    limited = other(lucky, issued)
    execute(
        "UPDATE operators_apikey SET expires_at = clock_timestamp() + interval '1 hour' WHERE 'read' <> ALL (scopes)"
    )

    renewed = rotate(limited, overlap_seconds=604800)

    assert code(renewed.get("players")) == "scope_missing"
    execute("UPDATE operators_apikey SET expires_at = clock_timestamp() WHERE expires_at IS NOT NULL")
    assert [code(house.get("operator/key")) for house in (limited, renewed)] == ["key_expired"] * 2


def test_a_revoked_key_has_no_secret_left(lucky: Tenant) -> None:
    renewed = rotate(lucky)
    key_id = lucky.credential.partition(".")[0]

    services.revoke_key(key_id=key_id)

    assert [code(house.get("operator")) for house in (lucky, renewed)] == ["invalid_credentials"] * 2
    with pytest.raises(UnknownKey):
        key_rotation.rotate(key_id=key_id, by="command")


def test_an_overlap_has_bounds(lucky: Tenant) -> None:
    for seconds, refusal in ((-1, "number_too_small"), (604801, "number_too_large")):
        assert code(lucky.post("operator/key/rotate", {"overlap_seconds": seconds})) == refusal
    assert lucky.read("operator/key")["previous_ends_at"] is None


def test_each_rotation_is_a_significant_event_without_a_secret(lucky: Tenant) -> None:
    renewed = rotate(lucky)

    event = SignificantEvent.objects.get(reason="The secret of an API key was rotated")

    assert event.actor == f"operator:{lucky.credential.partition('.')[0]}"
    assert renewed.credential.partition(".")[2] not in f"{event.before} {event.after} {event.reason}"
