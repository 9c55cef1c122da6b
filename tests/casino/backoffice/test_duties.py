"""Who can do what: a page by act and by person, and a file for a regulator."""

import csv
import io
from uuid import UUID

import pytest
from django.contrib.auth.models import Group, User
from django.urls import reverse

from casino.operators.models import ApiKey, Operator, StaffMembership
from casino.operators.services import create_operator
from casino.staff import duties
from casino.staff.access_review import DUTY_COLUMNS
from casino.staff.duties import Role
from tests.support.keys import issue_key
from tests.support.office import client_of

pytestmark = pytest.mark.django_db


def house(slug: str) -> Operator:
    operator = create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=False)
    for role in (Role.COMPLIANCE, Role.CASHIER):
        user = User.objects.create_user(f"{slug}-{role}", is_staff=True)
        user.groups.add(Group.objects.get(name=role))
        StaffMembership.objects.create(user=user, operator=operator)
    return operator


def lines(login: str) -> list[dict[str, str]]:
    answer = client_of(User.objects.get(username=login)).get(reverse("admin:desk_duties_file"))
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def key_of(operator: UUID) -> str:
    return f"key:{ApiKey.objects.get(operator_id=operator).key_id}"


def test_the_file_names_for_every_act_who_can_do_it_and_how_many_persons_it_takes() -> None:
    lucky = house("lucky")
    issue_key(operator=lucky.id)
    rows = lines("lucky-compliance")
    assert tuple(rows[0]) == DUTY_COLUMNS
    assert {row["act"] for row in rows} == {act.name for act in duties.acts()}
    asking = {row["holder"]: row for row in rows if row["act"] == "wallet.request_adjustment"}
    assert set(asking) == {"lucky-cashier", key_of(lucky.id)}
    assert asking["lucky-cashier"]["roles"] == "cashier"
    approving = [row for row in rows if row["act"] == "wallet.approve_adjustment"]
    assert [(row["side"], row["persons"], row["holder"]) for row in approving] == [
        ("approve", "2", key_of(lucky.id)),
    ]  # fmt: skip
    nobody = [row for row in rows if row["act"] == "staff.make_superuser"]
    assert [row["holder"] for row in nobody] == [""]


def test_page_and_file_are_those_of_ones_own_operators() -> None:
    lucky, rival = house("lucky"), house("rival")
    for operator in (lucky, rival):
        issue_key(operator=operator.id)
    page = client_of(User.objects.get(username="lucky-compliance")).get(reverse("admin:desk_duties")).content.decode()
    for name, seen in (("lucky-cashier", True), ("rival-cashier", False)):
        assert (name in page) == seen
        assert (name in {row["holder"] for row in lines("lucky-compliance")}) == seen
    assert key_of(lucky.id) in page
    assert key_of(rival.id) not in page
    assert "oversee: " in page


def test_a_superuser_and_what_only_superusers_do_are_listed_to_superusers() -> None:
    house("lucky")
    User.objects.create_superuser("root")
    holders = {row["holder"] for row in lines("root") if row["act"] == "staff.make_superuser"}
    assert holders == {"root"}


def test_others_see_neither() -> None:
    house("lucky")
    client = client_of(User.objects.get(username="lucky-cashier"))
    for name in ("desk_duties", "desk_duties_file"):
        assert client.get(reverse(f"admin:{name}")).status_code == 403
