"""Dual control of identity: what one administrator's account is worth to an attacker, at every door."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.core import mail
from django.test import Client
from django.urls import reverse

from casino.mail import outbox
from casino.operators import changes
from casino.operators.models import Change, Operator
from casino.operators.refusals import ChangeIsForTheAdmin
from casino.staff import access_changes, authenticators
from casino.staff.duties import Role
from casino.staff.models import PasswordCode
from casino.staff.refusals import RolesApart
from tests.casino.staff.test_access_changes import confirm, create_operator, form, member, page, waiting
from tests.casino.staff.test_login import enrol
from tests.support.changes import waiting_change
from tests.support.office import client_of

pytestmark = pytest.mark.django_db
CHOSEN = "a-password-of-my-own"


@pytest.fixture
def lucky() -> Operator:
    return create_operator("lucky")


@pytest.fixture
def mallory(lucky: Operator) -> User:
    return member("mallory", Role.ADMINISTRATOR, operator=lucky, email="mallory@example.com")


@pytest.fixture
def other(lucky: Operator) -> User:
    return member("other", Role.ADMINISTRATOR, operator=lucky, email="other@example.com")


@pytest.fixture
def cashier(lucky: Operator) -> User:
    return member("cash", Role.CASHIER, operator=lucky, email="cash@example.com")


def snapshot(user: User) -> tuple[Any, ...]:
    stored = User.objects.get(pk=user.pk)
    return (
        *(stored.username, stored.email, stored.password, stored.is_active, stored.is_staff, stored.is_superuser),
        sorted(stored.groups.values_list("name", flat=True)),
        sorted(stored.user_permissions.values_list("codename", flat=True)),
        authenticators.is_enrolled(stored),
    )


def log_in(name: str, password: str) -> bool:
    client = Client()
    client.post("/admin/login/", {"username": name, "password": password})
    return "_auth_user_id" in client.session


def test_no_form_lets_one_administrator_become_somebody_else(mallory: User, cashier: User) -> None:
    client, before = client_of(mallory), snapshot(cashier)
    passwords = {"password": CHOSEN, "password1": CHOSEN, "password2": CHOSEN, "usable_password": "true"}
    permission = str(Permission.objects.get(codename="approve_adjustment").pk)
    stolen = {**passwords, "email": "mallory@elsewhere.example", "is_superuser": "on", "user_permissions": [permission]}
    client.post(page(cashier), {**form(cashier, Role.CASHIER), **stolen, "username": "renamed"})
    client.post(reverse("admin:auth_user_password_change", args=[cashier.pk]), passwords)
    for name in ("password", "email", "reset"):
        client.post(reverse(f"admin:staff_member_{name}", args=[cashier.pk]), {**stolen, "reason": "Because"})
        client.post(reverse("admin:operators_change_confirm", args=[waiting().pk]))
        changes.cancel(waiting().pk, by="staff:0")

    assert snapshot(cashier) == before
    assert not log_in("cash", CHOSEN)
    assert {change.status for change in Change.objects.all()} == {"cancelled"}


def test_actions_on_many_users_are_refused(mallory: User, cashier: User) -> None:
    chosen = {"action": "delete_selected", "_selected_action": [str(cashier.pk)], "post": "yes"}
    client_of(mallory).post(reverse("admin:auth_user_changelist"), chosen)
    client_of(mallory).post(reverse("admin:auth_user_delete", args=[cashier.pk]), {"post": "yes"})
    assert User.objects.filter(pk=cashier.pk).exists()


def test_nothing_that_identifies_people_is_edited_elsewhere_in_the_admin() -> None:
    editable = {model._meta.label for model, page in admin.site._registry.items() if type(page).__name__ == "UserAdmin"}
    assert editable == {"auth.User"}
    assert Group not in admin.site._registry
    labels = {model._meta.label_lower for model in admin.site._registry}
    assert not labels & {"staff.authenticator", "staff.recoverycode", "staff.passwordcode", "sessions.session"}


def test_a_new_user_of_ones_own_gets_no_role_and_no_password_from_one_administrator(mallory: User) -> None:
    client = client_of(mallory)
    mine = {"username": "mine", "email": "mallory@elsewhere.example", "password1": CHOSEN, "password2": CHOSEN}
    client.post(reverse("admin:auth_user_add"), {**mine, "password": CHOSEN})
    user = User.objects.get(username="mine")
    client.post(page(user), form(user, Role.CASHIER))

    assert not user.has_usable_password()
    assert not user.groups.exists()
    assert "mine (mallory@elsewhere.example)" in waiting().summary  # which the second administrator reads
    assert not log_in("mine", CHOSEN)


def test_a_leaver_does_not_come_back_by_one_administrator(mallory: User, other: User, cashier: User) -> None:
    User.objects.filter(pk=cashier.pk).update(is_active=False)
    client_of(mallory).post(page(cashier), form(cashier, Role.CASHIER))
    assert not User.objects.get(pk=cashier.pk).is_active
    confirm(mallory)
    assert not User.objects.get(pk=cashier.pk).is_active
    confirm(other)
    assert User.objects.get(pk=cashier.pk).is_active


def half_shown_to(user: User) -> str:
    change = Change.objects.get(kind="staff_password", status="effective")
    answer = client_of(user).post(reverse("admin:operators_change_half", args=[change.pk]), follow=True)
    found = re.search(r">([a-z2-7]{4}(?:-[a-z2-7]{4}){3})</code>", unescape(answer.content.decode()))
    return found[1] if found else ""


def set_password(name: str, first: str, second: str, password: str = CHOSEN) -> str:
    fields = {"username": name, "first_half": first, "second_half": second, "password": password, "again": password}
    answer = Client().post(reverse("admin:set_password"), fields, follow=True)
    return unescape(answer.content.decode())


@pytest.fixture
def halves(mallory: User, other: User, cashier: User) -> tuple[str, str]:
    url = reverse("admin:staff_member_password", args=[cashier.pk])
    client_of(mallory).post(url, {"reason": "Forgotten"})
    assert half_shown_to_nobody(mallory)
    confirm(other)
    return half_shown_to(mallory), half_shown_to(other)


def half_shown_to_nobody(user: User) -> bool:
    answer = client_of(user).post(reverse("admin:operators_change_half", args=[waiting().pk]), follow=True)
    return "There is no half of a code" in unescape(answer.content.decode())


def test_a_password_is_set_by_its_user_with_a_half_from_each_of_two_administrators(
    halves: tuple[str, str], mallory: User, other: User
) -> None:
    first, second = halves
    assert [half_shown_to(mallory), half_shown_to(other)] == ["", ""]  # once each
    assert "too short" in set_password("cash", first, second, password="short")
    assert "Your password is set" in set_password("cash", first.upper(), second)
    assert log_in("cash", CHOSEN)
    assert "Wrong login or code" in set_password("cash", first, second, password="another-long-password")
    assert not log_in("cash", "another-long-password")


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 1), (1, 0)])
def test_one_half_sets_no_password(halves: tuple[str, str], first: int, second: int) -> None:
    assert "Wrong login or code" in set_password("cash", halves[first], halves[second])
    assert not log_in("cash", CHOSEN)


def test_a_code_is_of_one_user_and_ends_after_a_day_and_by_the_next_one(
    halves: tuple[str, str], mallory: User, cashier: User
) -> None:
    assert "Wrong login or code" in set_password("mallory", *halves)
    PasswordCode.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert "Wrong login or code" in set_password("cash", *halves)
    change = access_changes.request_password(cashier, by=mallory, reason="Again")
    changes.confirm(change.pk, by="staff:0")
    assert "Wrong login or code" in set_password("cash", *halves)


def test_guesses_of_a_code_lock_the_login_out(halves: tuple[str, str]) -> None:
    for _ in range(3):
        set_password("cash", "a", "b")
    assert "Locked after three failures" in set_password("cash", *halves)
    assert not log_in("cash", CHOSEN)


def test_a_third_administrator_sees_no_half(halves: tuple[str, str], lucky: Operator) -> None:
    assert halves
    assert half_shown_to(member("third", Role.ADMINISTRATOR, operator=lucky)) == ""


def test_no_half_is_in_the_log_of_staff_actions_or_in_an_email(halves: tuple[str, str]) -> None:
    outbox.send_due()
    texts = [entry.change_message for entry in LogEntry.objects.all()] + [message.body for message in mail.outbox]
    assert texts
    assert not any(half in text for text in texts for half in halves)


@pytest.mark.parametrize(
    "kind", [name for name in changes.kinds() if name.startswith(("staff_", "assertion_", "identity_"))]
)
def test_access_is_never_confirmed_over_http(kind: str, lucky: Operator, cashier: User) -> None:
    change = waiting_change(kind, operator=lucky.pk, subject=f"staff:{cashier.pk}", by="staff:1")
    with pytest.raises(ChangeIsForTheAdmin):
        changes.confirm(change.pk, operator=lucky.pk, by="staff:2")


# -- who is told ------------------------------------------------------------------------------------------------------


def told() -> list[tuple[str, str]]:
    """Send what waits; return the address and subject of each, and forget them."""
    outbox.send_due()
    messages = sorted((message.to[0].partition("@")[0], message.subject) for message in mail.outbox)
    mail.outbox.clear()
    return messages


def test_everybody_concerned_is_told_of_each_step(mallory: User, other: User, cashier: User) -> None:
    change = access_changes.request_roles(cashier, names=["support"], by=mallory)
    assert told() == [("cash", f"Requested: {change.summary}")]
    changes.confirm(change.pk, by=f"staff:{other.pk}")
    assert told() == [(name, f"Took effect: {change.summary}") for name in ("cash", "mallory")]

    declined = access_changes.request_reset(cashier, by=mallory, reason="Lost")
    told()
    changes.decline(declined.pk, by=f"staff:{other.pk}")
    assert told() == [(name, f"Declined: {declined.summary}") for name in ("cash", "mallory")]


def test_the_address_that_goes_is_told_as_well(mallory: User, other: User, cashier: User) -> None:
    change = access_changes.request_email(cashier, email="new@example.com", by=mallory)
    told()
    changes.confirm(change.pk, by=f"staff:{other.pk}")
    assert told() == [
        ("cash", "Your e-mail address was changed"),
        ("mallory", f"Took effect: {change.summary}"),
        ("new", f"Took effect: {change.summary}"),
    ]


def test_users_are_told_of_their_own_new_password_and_authenticator(cashier: User) -> None:
    client = client_of(cashier)
    new = {"old_password": "a-long-password", "new_password1": CHOSEN, "new_password2": CHOSEN}
    assert client.post("/admin/password_change/", new).status_code == 302
    assert told() == [("cash", "Your password was changed")]
    client.post("/admin/password_change/", new)
    assert told() == []
    enrol(cashier)
    assert told() == [("cash", "You have a new authenticator")]


def test_a_change_that_is_rolled_back_tells_nobody(mallory: User, cashier: User) -> None:
    with pytest.raises(RolesApart):
        access_changes.request_roles(cashier, names=["approver"], by=mallory)
    assert told() == []
