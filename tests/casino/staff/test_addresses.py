"""E-mail addresses of staff: whoever has one shows to receive what is sent there, before doing anything else."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from casino.mail.models import Email
from casino.operators.services import create_operator as create
from casino.staff import access_changes, addresses
from casino.staff.duties import Role
from casino.staff.models import IdentityProvider, StaffAccount
from tests.casino.staff.test_access_changes import confirm, create_operator, member
from tests.casino.staff.test_oidc import sign_in
from tests.support.oidc_provider import Provider

pytestmark = pytest.mark.django_db
HOME, ADDRESS = reverse("admin:index"), reverse("admin:address")


def unconfirmed(name: str, **more: Any) -> User:
    return User.objects.create_user(name, email=f"{name}@lucky.example", is_staff=True, **more)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def sent(to: User) -> list[str]:
    """Return the codes that were sent to a user, oldest first."""
    bodies = Email.objects.filter(address=to.email).order_by("pk").values_list("body", flat=True)
    return [found[1] for body in bodies if (found := re.search(r"logged in: (\S+)", body))]


def enter(client: Client, code: str) -> str:
    return client.post(ADDRESS, {"code": code}, follow=True).content.decode()


def test_at_a_live_operator_the_first_login_asks_for_a_code_that_was_sent_to_the_address() -> None:
    create_operator("lucky")
    ann, ben = unconfirmed("ann"), unconfirmed("ben")
    hers, his = logged_in(ann), logged_in(ben)
    assert hers.get(HOME, follow=True).redirect_chain[-1][0] == ADDRESS
    his.get(HOME, follow=True)
    (code,), (other,) = sent(ann), sent(ben)

    for wrong in ("", other, code[:-1], "x"):
        enter(hers, wrong)
        assert hers.get(HOME).status_code == 302
    assert "not the code" in enter(hers, other)
    assert sent(ann) == [code], "one code is sent, however often the page is loaded"
    enter(hers, f" {code} ")

    assert hers.get(HOME).status_code == 200
    assert logged_in(ann).get(HOME).status_code == 200
    assert his.get(HOME).status_code == 302


def test_another_address_is_confirmed_again_whatever_was_confirmed_before() -> None:
    lucky = create_operator("lucky")
    admin, other = (member(name, Role.ADMINISTRATOR, operator=lucky) for name in ("admin", "other"))
    ann = member("ann", Role.CASHIER, operator=lucky, email="ann@lucky.example")
    client = logged_in(ann)
    assert client.get(HOME).status_code == 200
    access_changes.request_email(ann, email="new@lucky.example", by=admin)
    confirm(other)
    ann.refresh_from_db()

    assert client.get(HOME, follow=True).redirect_chain[-1][0] == ADDRESS
    (code,) = sent(ann)
    enter(client, code)

    assert client.get(HOME).status_code == 200


def test_a_code_confirms_the_address_that_it_was_sent_to_and_no_other() -> None:
    create_operator("lucky")
    ann = unconfirmed("ann")
    client = logged_in(ann)
    client.get(ADDRESS)
    (code,) = sent(ann)
    ann.email = "else@lucky.example"
    ann.save()
    assert "not the code" in enter(client, code)
    assert not addresses.is_confirmed(ann)


def test_where_no_operator_is_live_and_for_who_has_no_address_there_is_nothing_to_confirm() -> None:
    create(slug="trial", name="Trial", currencies=["EUR"], sandbox=True)
    client = logged_in(unconfirmed("ann"))
    assert client.get(HOME).status_code == 200
    create_operator("lucky")
    assert client.get(HOME).status_code == 302
    assert logged_in(User.objects.create_superuser("root")).get(HOME).status_code == 200
    assert not Email.objects.exists()


def test_a_provider_that_has_verified_the_address_confirms_it(
    registered: IdentityProvider, provider: Provider, ann: User, client: Client
) -> None:
    StaffAccount.objects.filter(user=ann).update(confirmed_key=None)
    assert logged_in(ann).get(HOME).status_code == 302
    sign_in(client, provider)
    assert client.get(HOME).status_code == 200


def test_the_page_is_for_who_has_logged_in(client: Client) -> None:
    create_operator("lucky")
    assert client.get(ADDRESS).status_code == 302
    assert not Email.objects.exists()
