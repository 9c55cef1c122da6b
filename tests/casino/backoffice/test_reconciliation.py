"""Discrepancies and provider callbacks: what staff see and may do."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse

from casino.backoffice import html
from casino.operators.models import Operator, StaffMembership
from casino.staff.duties import Role
from tests.support.office import client_of
from tests.wallet.ledger.world import OPERATOR
from tests.wallet.payments.counter import call_back, deposit, report, withdraw
from tests.wallet.reconciliation.conftest import address, reachable
from tests.wallet.reconciliation.desk import Desk, open_desk, today
from wallet.models import Deposit, Discrepancy, ProviderCallback, Reconciliation, Withdrawal
from wallet.payments import callbacks
from wallet.payments.provider_reports import PaymentKind
from wallet.reconciliation.refusals import DiscrepancyNoteMissing

pytestmark = pytest.mark.django_db
__all__ = ["address", "reachable"]
ALL = ("view_discrepancy", "view_reconciliation", "change_discrepancy", "view_providercallback")


@pytest.fixture
def desk(db: None, reachable: str) -> Iterator[Desk]:
    """Make a deposit that failed in the provider's records, which have no payment left at the end."""
    opened = open_desk(reachable)
    made = opened.deposit()
    opened.tell(f"/deposits/{made}", status="failed")
    today()
    yield opened
    for kind, payments in (("deposits", Deposit), ("payouts", Withdrawal)):
        for payment in payments.objects.values_list("pk", flat=True):
            opened.tell(f"/{kind}/{payment}", omit=True)


def member(name: str, *rights: str, house: str = "lucky") -> Client:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights or ALL))
    for operator in Operator.objects.filter(slug=house):
        StaffMembership.objects.create(user=user, operator=operator)
    return client_of(user)


def in_role(name: str, role: Role) -> Client:
    client = member(name, "view_discrepancy")
    User.objects.get(username=name).groups.add(Group.objects.get(name=role))
    return client


def url(name: str, row: object) -> str:
    return reverse(f"admin:wallet_{name}", args=[row])


def send(client: Client, name: str, row: object, **fields: str) -> str:
    answer = client.post(url(name, row), fields, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def test_a_discrepancy_is_assigned_and_resolved_with_a_note(desk: Desk) -> None:
    ann, waiting = member("ann"), Discrepancy.objects.get()
    queue = ann.get(reverse("admin:wallet_discrepancy_changelist"), {"status": "waiting"})
    assert [row.pk for row in queue.context["cl"].result_list] == [waiting.pk]
    assert "status mismatch" in ann.get(url("reconciliation_change", Reconciliation.objects.get().pk)).content.decode()

    assert "Handed over to ann." in send(ann, "discrepancy_assign", waiting.pk)
    member("bob")
    bob = f"staff:{User.objects.get(username='bob').pk}"
    assert "Handed over to bob." in send(ann, "discrepancy_assign", waiting.pk, owner=bob, note="Ticket 12.")
    inbox = ann.get(reverse("admin:desk_inbox")).content.decode()
    for amount in (waiting.our_amount, waiting.their_amount):
        assert str(html.money(amount, waiting.currency)) in inbox
    member("eve", house="another")
    stranger = f"staff:{User.objects.get(username='eve').pk}"
    assert "not one of the available choices" in send(ann, "discrepancy_assign", waiting.pk, owner=stranger)
    assert DiscrepancyNoteMissing.title in send(ann, "discrepancy_resolve", waiting.pk, resolution="timing", note="")
    assert "not one of the available choices" in send(
        ann, "discrepancy_resolve", waiting.pk, resolution="magic", note="x"
    )
    assert Discrepancy.objects.get().status == "assigned"
    page = send(ann, "discrepancy_resolve", waiting.pk, resolution="timing", note="It came on Monday.")
    assert ("It came on Monday." in page, "Ticket 12." in page) == (True, True)
    assert url("discrepancy_resolve", waiting.pk) not in page
    assert Discrepancy.objects.get().status == "resolved"


def test_a_cashier_writes_no_difference_off_and_nothing_is_chosen_for_who_may(desk: Desk) -> None:
    waiting = Discrepancy.objects.get()
    cash, carla = in_role("cash", Role.CASHIER), in_role("carla", Role.COMPLIANCE)
    written_off = {"resolution": "written_off", "note": "Too small."}

    assert cash.post(url("discrepancy_resolve", waiting.pk), written_off).status_code == 403
    shown = carla.get(url("discrepancy_change", waiting.pk)).content.decode()
    assert '<option value="" selected>' in shown
    assert re.findall('value="(staff:[0-9]+)"', shown) == [f"staff:{User.objects.get(username='carla').pk}"]
    assert "This field is required" in send(carla, "discrepancy_resolve", waiting.pk, note="Too small.")
    assert Discrepancy.objects.get().status == "open"
    send(carla, "discrepancy_resolve", waiting.pk, **written_off)
    assert Discrepancy.objects.get().resolution == "written_off"


def test_selected_discrepancies_are_taken_over_with_one_note(desk: Desk) -> None:
    ann, waiting = member("ann"), Discrepancy.objects.get()
    fields = {"action": "take_selected", "index": "0", "note": "Ticket 12.", "_selected_action": [waiting.pk]}
    listing = reverse("admin:wallet_discrepancy_changelist")
    assert member("reader", "view_discrepancy").post(listing, fields).status_code == 403
    assert "Assigned 1 discrepancies to you." in ann.post(listing, fields, follow=True).content.decode()
    waiting.refresh_from_db()
    assert waiting.owner == f"staff:{User.objects.get(username='ann').pk}"
    assert "Ticket 12." in ann.get(url("discrepancy_change", waiting.pk)).content.decode()
    send(ann, "discrepancy_resolve", waiting.pk, resolution="timing", note="It came on Monday.")
    answer = unescape(ann.post(listing, fields, follow=True).content.decode())
    assert "Assigned 0 discrepancies to you." in answer
    assert "The discrepancy is resolved." in answer
    waiting.refresh_from_db()
    assert waiting.status == "resolved"


def test_viewers_see_no_action_and_staff_of_another_operator_see_nothing(desk: Desk) -> None:
    row = Discrepancy.objects.get()
    onlooker, stranger = member("joe", "view_discrepancy"), member("eve", house="other")
    assert url("discrepancy_resolve", row.pk) not in onlooker.get(url("discrepancy_change", row.pk)).content.decode()
    fields = {"resolution": "timing", "note": "x"}
    for client in (onlooker, stranger):
        assert client.post(url("discrepancy_resolve", row.pk), fields).status_code == 403
        assert client.post(url("discrepancy_assign", row.pk)).status_code == 403
    assert stranger.get(url("discrepancy_change", row.pk)).status_code == 302
    assert Discrepancy.objects.get().status == "open"


def test_callbacks_are_shown_with_their_outcome_to_staff_of_the_payments_operator(desk: Desk) -> None:
    made = deposit(desk.card)
    call_back(report(made, "completed"))
    call_back(report(made, "completed", amount=4000))
    call_back(report(OPERATOR, "completed"))
    ann, eve = member("ann"), member("eve", house="other")
    listing = reverse("admin:wallet_providercallback_changelist")
    assert len(ann.get(listing, {"outcome": "waiting"}).context["cl"].result_list) == 3
    while callbacks.apply_waiting():
        pass
    shown = ann.get(listing).content.decode()
    assert ("applied" in shown, "amount mismatch" in shown) == (True, True)
    assert len(ann.get(listing).context["cl"].result_list) == 3
    assert len(ann.get(listing, {"q": str(made)}).context["cl"].result_list) == 2
    assert len(ann.get(listing, {"outcome": "disputed"}).context["cl"].result_list) == 2
    assert len(eve.get(listing).context["cl"].result_list) == 0
    first, unknown = ProviderCallback.objects.order_by("id")[0], ProviderCallback.objects.order_by("-id")[0]
    assert str(made) in ann.get(url("providercallback_change", first.pk)).content.decode()
    assert eve.get(url("providercallback_change", first.pk)).status_code == 302
    assert ann.get(url("providercallback_change", unknown.pk)).status_code == 200  # nobody else has the provider
    assert eve.get(url("providercallback_change", unknown.pk)).status_code == 302


def test_a_message_that_was_not_applied_is_applied_again_by_a_button(desk: Desk) -> None:
    Discrepancy.objects.all().delete()
    desk.deposit()
    payment = withdraw(desk.card, 1000)
    call_back(report(payment, "completed", kind=PaymentKind.PAYOUT, amount=1000))
    callbacks.apply_waiting()
    row = Discrepancy.objects.get()
    ann, eve = member("ann"), member("eve", house="other")
    assert url("discrepancy_apply_again", row.pk) in ann.get(url("discrepancy_change", row.pk)).content.decode()
    assert eve.post(url("discrepancy_apply_again", row.pk)).status_code == 403
    assert "Not applied: never sent." in send(ann, "discrepancy_apply_again", row.pk)
    assert Discrepancy.objects.get().status == "open"

    desk.approve(payment)
    assert "Applied." in send(ann, "discrepancy_apply_again", row.pk)
    assert Discrepancy.objects.get().status == "cleared"
    assert "Nothing was changed" in send(ann, "discrepancy_apply_again", row.pk)
