"""Adjustments: requested on the account's page, decided by another person in the queue."""

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from casino.operators.models import Operator, StaffMembership
from tests.support.office import client_of
from tests.wallet.adjustments.test_services import request_adjustment
from tests.wallet.ledger.world import OPERATOR, account
from tests.wallet.payments.counter import balance_of, open_alice
from wallet.adjustments.refusals import AdjustmentNoteMissing, AdjustmentRequiresSecondPerson
from wallet.ledger.accounts import AccountKind
from wallet.models import Adjustment

pytestmark = pytest.mark.django_db
ALL = ("view_account", "view_adjustment", "request_adjustment", "approve_adjustment")
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


def test_one_person_requests_another_approves_and_the_badge_counts_the_queue() -> None:
    maker, checker = member("maker", *ALL), member("checker", *ALL)
    assert url("account_adjust", account().id) in maker.get(url("account_change", account().id)).content.decode()
    assert "another person has to agree" in send(maker, "account_adjust", account().id, **FORM)
    waiting = Adjustment.objects.get()
    queue = checker.get(reverse("admin:wallet_adjustment_changelist"), {"status": "requested"})
    assert [row.pk for row in queue.context["cl"].result_list] == [waiting.pk]

    own = maker.get(url("adjustment_change", waiting.pk)).content.decode()
    assert "Waiting for another person" in own
    assert url("adjustment_approve", waiting.pk) not in own
    assert AdjustmentRequiresSecondPerson.title in send(maker, "adjustment_approve", waiting.pk)
    assert balance_of(AccountKind.ACCOUNT) == 0

    page = unescape(checker.get(url("adjustment_change", waiting.pk)).content.decode())
    assert "Ticket 4411." in page
    assert "The player has been notified" in send(checker, "adjustment_approve", waiting.pk)
    assert balance_of(AccountKind.ACCOUNT) == 2000
    assert (
        url("adjustment_approve", waiting.pk) not in checker.get(url("adjustment_change", waiting.pk)).content.decode()
    )


def test_a_rejection_needs_a_reason() -> None:
    wanted, checker = request_adjustment(by="staff:0"), member("checker", *ALL)
    assert AdjustmentNoteMissing.title in send(checker, "adjustment_reject", wanted, answer=" ")
    assert Adjustment.objects.get().status == "requested"
    assert "no money has moved" in send(checker, "adjustment_reject", wanted, answer="Paid on Monday.")
    assert Adjustment.objects.get().status == "rejected"


def test_a_debit_beyond_the_balance_becomes_a_debt_only_when_marked() -> None:
    wanted, checker = request_adjustment("debit", by="staff:0"), member("checker", *ALL)
    assert 'name="as_debt"' in checker.get(url("adjustment_change", wanted)).content.decode()
    assert "this takes 20.00" in send(checker, "adjustment_approve", wanted)
    assert "20.00 of it is owed" in send(checker, "adjustment_approve", wanted, as_debt="yes")
    assert balance_of(AccountKind.DEBT) == -2000


@pytest.mark.parametrize(
    "changes", [{"amount": "20,00"}, {"amount": "0"}, {"note": ""}, {"reason": "because"}, {"direction": ""}]
)
def test_invalid_forms_show_errors_and_request_nothing(changes: dict[str, str]) -> None:
    send(member("maker", *ALL), "account_adjust", account().id, **{**FORM, **changes})
    assert not Adjustment.objects.exists()


def test_each_step_needs_its_own_permission() -> None:
    wanted, onlooker = request_adjustment(by="staff:0"), member("onlooker", "view_account", "view_adjustment")
    assert onlooker.post(url("account_adjust", account().id), FORM).status_code == 403
    assert onlooker.post(url("adjustment_approve", wanted)).status_code == 403
    assert onlooker.post(url("adjustment_reject", wanted), {"answer": "no"}).status_code == 403
    assert url("account_adjust", account().id) not in onlooker.get(url("account_change", account().id)).content.decode()
    assert Adjustment.objects.get().status == "requested"


def test_only_a_players_account_can_be_adjusted() -> None:
    request_adjustment(by="staff:0")
    maker, checker = member("maker", *ALL), member("checker", *ALL)
    send(checker, "adjustment_approve", Adjustment.objects.get().pk)
    houses = Adjustment.objects.raw("SELECT id FROM wallet_account WHERE kind = 'adjustments'")[0].pk
    assert maker.post(url("account_adjust", houses), FORM).status_code == 403
