"""One person, one account: who is a second person, who leaves, and who works for several operators."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from casino.events.sql import execute
from casino.operators import changes, key_changes
from casino.operators.memberships import may_sign_in_from
from casino.operators.models import Change, Operator, StaffMembership
from casino.operators.refusals import ChangeNeedsSecondPerson, InvalidNetworks
from casino.staff import access_changes, act_audit
from casino.staff.duties import Role
from casino.staff.models import StaffAccount
from casino.staff.refusals import EmailTaken, TooFewAdministrators
from tests.casino.staff.test_access_changes import (
    confirm,
    create_operator,
    form,
    member,
    page,
    roles_of,
    waiting,
)
from tests.support.office import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucky() -> Operator:
    return create_operator("lucky")


@pytest.fixture
def admin(lucky: Operator) -> User:
    return member("admin", Role.ADMINISTRATOR, operator=lucky, email="admin@lucky.example")


@pytest.fixture
def other(lucky: Operator) -> User:
    return member("other", Role.ADMINISTRATOR, operator=lucky)


def make(by: User, name: str, email: str) -> Any:
    fields = {"username": name, "email": email, "usable_password": "false"}
    return client_of(by).post(reverse("admin:auth_user_add"), fields)


def works_for(user: User, operator: Operator) -> None:
    StaffMembership.objects.create(user=user, operator=operator)


def test_a_new_colleague_is_staff_and_can_do_nothing_before_others_confirm(admin: User) -> None:
    make(admin, "second", "second@lucky.example")

    made = User.objects.get(username="second")
    assert (made.is_staff, made.has_usable_password(), made.get_all_permissions()) == (True, False, set())


@pytest.mark.parametrize("spelling", ["admin@lucky.example", "Admin+2@Lucky.example", "ADMIN+a+b@lucky.example"])
def test_an_address_in_any_spelling_is_of_one_account(admin: User, lucky: Operator, spelling: str) -> None:
    ann = member("ann", operator=lucky)

    assert "Another account has this e-mail address" in make(admin, "second", spelling).content.decode()
    with pytest.raises(EmailTaken):
        access_changes.request_email(ann, email=spelling, by=admin)
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("third", email=spelling)

    assert not User.objects.filter(username__in=("second", "third")).exists()


def test_who_made_an_account_is_no_second_person_to_it_for_a_month(admin: User, other: User, lucky: Operator) -> None:
    make(admin, "mine", "mine@lucky.example")
    mine = User.objects.get(username="mine")
    assert StaffAccount.objects.get(user=mine).created_by == f"staff:{admin.pk}"
    by_mine = key_changes.set_origins(lucky, ["https://a.example"], by=f"staff:{mine.pk}")
    by_admin = key_changes.set_origins(lucky, ["https://b.example"], by=f"staff:{admin.pk}")
    about_mine = access_changes.request_reset(mine, by=other, reason="Lost")
    assert by_mine is not None
    assert by_admin is not None

    for change, by in ((by_mine, admin), (by_admin, mine), (about_mine, admin)):
        with pytest.raises(ChangeNeedsSecondPerson):
            changes.confirm(change.pk, by=f"staff:{by.pk}")

    changes.confirm(by_mine.pk, by=f"staff:{other.pk}")
    User.objects.filter(pk=mine.pk).update(date_joined=mine.date_joined - timedelta(days=31))
    changes.confirm(by_admin.pk, by=f"staff:{mine.pk}")


def test_an_account_made_by_an_account_that_one_made_is_no_second_person_either(admin: User, lucky: Operator) -> None:
    one, two = member("one", operator=lucky), member("two", operator=lucky)
    StaffAccount.objects.filter(user=one).update(created_by=f"staff:{admin.pk}")
    StaffAccount.objects.filter(user=two).update(created_by=f"staff:{one.pk}")
    change = key_changes.set_origins(lucky, ["https://a.example"], by=f"staff:{admin.pk}")
    assert change is not None
    with pytest.raises(ChangeNeedsSecondPerson):
        changes.confirm(change.pk, by=f"staff:{two.pk}")


def test_one_person_disables_a_leaver_whose_requests_end(admin: User, other: User, lucky: Operator) -> None:
    third = member("third", Role.ADMINISTRATOR, operator=lucky)
    change = key_changes.set_origins(lucky, ["https://a.example"], by=f"staff:{other.pk}")
    assert change is not None
    leaver = form(other, Role.ADMINISTRATOR)
    del leaver["is_active"]

    client_of(admin).post(page(other), leaver)

    assert not User.objects.get(pk=other.pk).is_active
    assert Change.objects.get(pk=change.pk).status == "cancelled"
    two = form(third, Role.ADMINISTRATOR)
    del two["is_active"]
    assert "Fewer than two administrators" in client_of(admin).post(page(third), two).content.decode()
    assert "Fewer than two administrators" in client_of(admin).post(page(third), form(third)).content.decode()
    assert User.objects.get(pk=third.pk).is_active
    assert roles_of(third) == {"administrator"}


def test_staff_of_several_operators_are_made_and_get_roles_and_passwords_by_administrators_of_all_of_them(
    admin: User, other: User, lucky: Operator
) -> None:
    golden = create_operator("golden")
    for user in (admin, other):
        works_for(user, golden)
    stranger = member("stranger", Role.ADMINISTRATOR, operator=lucky)
    make(admin, "ann", "ann@both.example")
    ann = User.objects.get(username="ann")
    assert {each.operator_id for each in StaffMembership.objects.filter(user=ann)} == {lucky.pk, golden.pk}

    client_of(admin).post(page(ann), form(ann, Role.CASHIER, email="ann@both.example"))
    seen = reverse("admin:operators_change_change", args=[waiting().pk])
    assert [client_of(each).get(seen).status_code for each in (admin, other, stranger)] == [200, 200, 302]
    confirm(stranger)
    assert roles_of(ann) == set()
    confirm(other)
    assert roles_of(ann) == {"cashier"}

    client_of(admin).post(reverse("admin:staff_member_password", args=[ann.pk]), {"reason": "New"})
    confirm(other)
    change = Change.objects.get(kind="staff_password", status="effective")
    halves = [
        client_of(each).post(reverse("admin:operators_change_half", args=[change.pk])).content.decode()
        for each in (admin, other)
    ]
    assert all(re.search(r">[a-z2-7]{4}(-[a-z2-7]{4}){3}</code>", half) for half in halves)


def operators_of(user: User) -> set[UUID]:
    return set(StaffMembership.objects.filter(user=user).values_list("operator_id", flat=True))


def assign(by: User, user: User, *operators: Operator) -> None:
    page = reverse("admin:staff_member_operators", args=[user.pk])
    client_of(by).post(page, {"operators": [str(each.pk) for each in operators]})


def test_two_administrators_of_all_its_operators_let_somebody_work_for_another_one_and_one_takes_it_away(
    admin: User, other: User, lucky: Operator
) -> None:
    golden, stranger = create_operator("golden"), member("stranger", Role.ADMINISTRATOR, operator=lucky)
    for user in (admin, other):
        works_for(user, golden)
    cash = member("cash", Role.CASHIER, operator=lucky)
    assign(stranger, cash, lucky, golden)  # who offers no operator of others
    assert not Change.objects.exists()

    assign(admin, cash, lucky, golden)
    for nobody in (admin, stranger, cash):
        confirm(nobody)
    assert operators_of(cash) == {lucky.pk}
    confirm(other)
    assert operators_of(cash) == {lucky.pk, golden.pk}
    written = {"row was changed by no act"}  # what the test set up itself
    assert {finding.kind for finding in act_audit.check()} <= written

    assign(admin, cash, golden)
    assert operators_of(cash) == {golden.pk}
    assert {finding.kind for finding in act_audit.check()} <= written


def test_a_superuser_alone_lets_nobody_work_anywhere(admin: User, lucky: Operator) -> None:
    root, ann = User.objects.create_superuser("root"), member("ann", Role.CASHIER)
    client_of(root).post(page(ann), {**form(ann, Role.CASHIER), "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0", "memberships-0-operator": str(lucky.pk)})  # fmt: skip
    assign(root, ann, lucky)
    confirm(root)
    assert operators_of(ann) == set()
    confirm(User.objects.create_superuser("second"))
    assert operators_of(ann) == {lucky.pk}


def test_two_administrators_of_each_operator_remain(admin: User, other: User, lucky: Operator) -> None:
    with pytest.raises(TooFewAdministrators):
        access_changes.set_operators(other, operators=[], by=admin)
    assert operators_of(other) == {lucky.pk}


def test_staff_sign_in_from_networks_that_one_narrows_and_two_widen(admin: User, other: User, lucky: Operator) -> None:
    def set_networks(*networks: str) -> Change | None:
        return key_changes.set_staff_networks(lucky, networks, by=f"staff:{admin.pk}")

    with pytest.raises(InvalidNetworks):
        set_networks("somewhere")
    assert set_networks("203.0.113.0/24") is None
    assert set_networks("203.0.113.0/28") is None
    wider, anywhere = set_networks("203.0.113.0/24"), set_networks()
    assert wider is not None
    assert anywhere is not None
    assert may_sign_in_from(admin.pk, "203.0.113.9")
    assert not may_sign_in_from(admin.pk, "203.0.113.99")

    changes.confirm(wider.pk, by=f"staff:{other.pk}")

    assert may_sign_in_from(admin.pk, "203.0.113.99")
    assert not may_sign_in_from(admin.pk, "127.0.0.1")
    changes.confirm(anywhere.pk, by=f"staff:{other.pk}")
    assert may_sign_in_from(admin.pk, "127.0.0.1")


@pytest.mark.parametrize(("networks", "welcome"), [("", True), ("127.0.0.0/8", True), ("203.0.113.0/24", False)])
def test_a_right_password_from_elsewhere_signs_in_nobody(
    admin: User, lucky: Operator, networks: str, *, welcome: bool
) -> None:
    execute("UPDATE operators_operator SET staff_networks = string_to_array(%s, ',')", [networks])
    client = Client()
    client.post(reverse("admin:login"), {"username": "admin", "password": "a-long-password"})
    assert ("_auth_user_id" in client.session) is welcome


def test_nobody_locks_themselves_out_by_networks(admin: User, lucky: Operator) -> None:
    url = reverse("admin:operators_operator_staff_networks", args=[lucky.pk])
    answer = client_of(admin).post(url, {"networks": "203.0.113.0/24"}, follow=True)
    assert "you are not in them" in answer.content.decode()
    client_of(admin).post(url, {"networks": "127.0.0.0/8"})
    lucky.refresh_from_db()
    assert lucky.staff_networks == ["127.0.0.0/8"]
