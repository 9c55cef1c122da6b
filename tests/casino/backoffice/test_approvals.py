"""The approvals inbox: what waits for a second person, for those who may decide it."""

from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from casino.backoffice import menu
from casino.backoffice.pages import approvals
from casino.compliance.erasure import KIND
from casino.operators import memberships
from casino.staff import access_changes, roles
from casino.staff.duties import Role
from tests.support.changes import waiting_change
from tests.support.office import Office, open_office, page_of, staff, superuser
from wallet.responsible_gaming import changes

pytestmark = pytest.mark.django_db
DECIDES = ("operators.change_change", "compliance.approve_erasure")


@pytest.fixture
def office() -> Office:
    return open_office()


def inbox(client: Client) -> str:
    answer = client.get(reverse("admin:desk_approvals"))
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def request_erasure(office: Office, by: str) -> str:
    subject = f"player:{office.player.id}"
    return page_of("operators_change", waiting_change(KIND, operator=office.operator.pk, subject=subject, by=by).pk)


def test_what_waits_is_listed_for_those_who_may_decide_it_and_leaves_when_decided(office: Office) -> None:
    approver = staff(*DECIDES, "operators.view_change", name="approver")
    assert "No request waits for approval." in inbox(approver)
    waiting = request_erasure(office, "staff:999")
    page = inbox(approver)
    assert f'href="{waiting}"' in page
    assert "to decide" in page
    assert "<h2>Withdrawals" not in page
    approver.post(reverse("admin:operators_change_decline", args=[waiting.split("/")[-3]]))
    assert f'href="{waiting}"' not in inbox(approver)


def test_the_requester_sees_that_another_person_has_to_decide(office: Office) -> None:
    approver = staff(*DECIDES, name="approver")
    own = memberships.staff_actor(User.objects.get(username="approver"))
    request_erasure(office, own)
    assert "yours" in inbox(approver)
    assert "to decide" not in inbox(approver)


def test_changes_are_listed_by_the_permission_that_their_kind_needs(office: Office) -> None:
    for kind in (changes.PLAY_MONEY_CAP, access_changes.SUPERUSER):
        waiting_change(kind, operator=office.operator.pk, summary=f"Change {kind}.", by="staff:999")
    page = inbox(staff("operators.change_change", *roles.functions_of(Role.APPROVER), name="approver"))
    assert f"Change {changes.PLAY_MONEY_CAP}." in page
    assert f"Change {access_changes.SUPERUSER}." not in page


def test_other_staff_have_no_inbox_and_nobody_sees_another_operators_requests(office: Office) -> None:
    waiting = request_erasure(office, "staff:999")
    assert staff("baccarat.view_round", name="looker").get(reverse("admin:desk_approvals")).status_code == 403
    assert waiting not in inbox(staff(*DECIDES, name="stranger", works_for="nobody"))


def test_the_menu_offers_the_inbox_to_those_for_whom_it_has_a_list(office: Office) -> None:
    assert {queue.permission for queue in approvals.QUEUES} | {approvals.DECIDE} == set(menu.DECISIONS)
    assert reverse("admin:desk_approvals") in superuser().get(reverse("admin:index")).content.decode()
