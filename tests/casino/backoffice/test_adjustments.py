"""Adjustments: requested on the account's page, decided by another person as changes."""

from html import unescape
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from casino.operators.models import Change, Operator, StaffMembership
from tests.support.office import client_of
from tests.wallet.adjustments.test_services import approve, request_adjustment
from tests.wallet.ledger.world import OPERATOR, account
from tests.wallet.payments.counter import balance_of, open_alice
from wallet.ledger.accounts import AccountKind
from wallet.models import Account

pytestmark = pytest.mark.django_db
ALL = (
    "view_account", "view_adjustment", "request_adjustment", "approve_adjustment", "view_change", "change_change",
)  # fmt: skip
FORM = {"direction": "credit", "amount": "20.00", "reason": "complaint", "note": "Ticket 4411.", "message": "Sorry!"}


@pytest.fixture(autouse=True)
def house() -> None:
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"])
    open_alice()


def member(name: str, *rights: str) -> Client:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    StaffMembership.objects.create(user=user, operator_id=OPERATOR)
    return client_of(user)


def url(name: str, row: Any) -> str:
    return reverse(f"admin:wallet_{name}", args=[row])


def send(client: Client, name: str, row: Any, **fields: str) -> str:
    answer = client.post(url(name, row), fields, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def decide(client: Client, action: str, change: UUID) -> int:
    return client.post(reverse(f"admin:operators_change_{action}", args=[change])).status_code


def test_one_person_requests_another_confirms_and_the_inbox_lists_it() -> None:
    maker, checker = member("maker", *ALL), member("checker", *ALL)
    assert url("account_adjust", account().id) in maker.get(url("account_change", account().id)).content.decode()
    assert "another person has to agree" in send(maker, "account_adjust", account().id, **FORM)
    waiting = Change.objects.get()
    page = reverse("admin:operators_change_change", args=[waiting.pk])
    assert page in checker.get(reverse("admin:desk_inbox")).content.decode()

    own = maker.get(page).content.decode()
    assert "Waiting for another person" in own
    decide(maker, "confirm", waiting.pk)
    assert balance_of(AccountKind.ACCOUNT) == 0

    assert "Ticket 4411." in unescape(checker.get(page).content.decode())
    decide(checker, "confirm", waiting.pk)
    assert balance_of(AccountKind.ACCOUNT) == 2000
    assert "Ticket 4411." in unescape(checker.get(url("adjustment_change", waiting.pk)).content.decode())


def test_a_debit_beyond_the_balance_becomes_a_debt_only_when_marked() -> None:
    maker, debit = member("maker", *ALL), {**FORM, "direction": "debit"}
    assert "this takes 20.00" in send(maker, "account_adjust", account().id, **debit)
    send(maker, "account_adjust", account().id, **debit, as_debt="yes")
    decide(member("checker", *ALL), "confirm", Change.objects.get().pk)
    assert balance_of(AccountKind.DEBT) == -2000


@pytest.mark.parametrize(
    "changes", [{"amount": "20,000"}, {"amount": "0"}, {"note": ""}, {"reason": "because"}, {"direction": ""}]
)
def test_invalid_forms_show_errors_and_request_nothing(changes: dict[str, str]) -> None:
    send(member("maker", *ALL), "account_adjust", account().id, **{**FORM, **changes})
    assert not Change.objects.exists()


def test_each_step_needs_its_own_permission() -> None:
    wanted, onlooker = request_adjustment(), member("onlooker", "view_account", "view_adjustment", "change_change")
    assert onlooker.post(url("account_adjust", account().id), FORM).status_code == 403
    assert [decide(onlooker, action, wanted) for action in ("confirm", "decline", "cancel")] == [403] * 3
    assert url("account_adjust", account().id) not in onlooker.get(url("account_change", account().id)).content.decode()
    assert Change.objects.get().status == "requested"


def test_only_a_players_account_can_be_adjusted() -> None:
    approve(request_adjustment())
    maker = member("maker", *ALL)
    houses = Account.objects.get(kind="adjustments", money_type="real").pk
    assert maker.post(url("account_adjust", houses), FORM).status_code == 403
