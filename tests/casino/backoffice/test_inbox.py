"""The inbox: what waits for a person, for those who may decide it, with who, when, why, and what it does."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from casino.backoffice import badges, menu
from casino.compliance.erasure import KIND
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.mail.models import Email
from casino.operators import changes as lifecycle
from casino.operators import memberships
from casino.operators.change import ChangeStatus
from casino.operators.models import Change, Operator
from casino.operators.refusals import ChangeDecided, ChangeNeedsSecondPerson
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent, Unacknowledged
from casino.significant.recorder import NewSignificantEvent, SignificantEventKind
from casino.significant.refusals import AlreadyAcknowledged, OwnSignificantEvent
from casino.staff import access_changes, roles
from casino.staff.duties import Role
from tests.support.changes import waiting_change
from tests.support.office import Office, open_office, page_of, staff, superuser
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.payments import changes as payments
from wallet.payments.gate import HoldTerms
from wallet.payments.terms import WithdrawalTerms
from wallet.responsible_gaming import changes

pytestmark = pytest.mark.django_db
DECIDES = ("operators.change_change", "compliance.approve_erasure")


@pytest.fixture
def office() -> Office:
    return open_office()


def inbox(client: Client) -> str:
    answer = client.get(reverse("admin:desk_inbox"))
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def request_erasure(office: Office, by: str) -> str:
    subject = f"player:{office.player.id}"
    return page_of("operators_change", waiting_change(KIND, operator=office.operator.pk, subject=subject, by=by).pk)


def request_adjustment(office: Office) -> None:
    adjustments.request(
        operator=office.operator.id,
        player=office.player.id,
        money_type=MoneyType.REAL,
        currency="EUR",
        direction=AdjustmentDirection.CREDIT,
        amount=2500,
        reason=AdjustmentReason.GOODWILL,
        note="A late answer",
        metadata=Metadata(str(office.operator.id), actor="staff:999", causation=""),
    )


def test_what_waits_is_listed_for_those_who_may_decide_it_and_leaves_when_decided(office: Office) -> None:
    approver = staff(*DECIDES, "operators.view_change", name="approver")
    assert "Nothing waits for you" in inbox(approver)
    waiting = request_erasure(office, "staff:999")
    page = inbox(approver)
    assert f'href="{waiting}"' in page
    assert "1 of 2" in page
    assert "Withdrawal:" not in page
    address = f"{reverse('admin:operators_change_decline', args=[waiting.split('/')[-3]])}?inbox"
    assert f'action="{address}"' in page
    assert approver.post(address).headers["Location"] == reverse("admin:desk_inbox")
    assert f'href="{waiting}"' not in inbox(approver)


def test_each_item_names_its_operator_and_marks_a_sandbox(office: Office) -> None:
    approver = staff(*DECIDES, "operators.view_operator", name="approver")
    request_erasure(office, "staff:999")
    named = f'{page_of("operators_operator", office.operator.pk)}">lucky</a>'
    assert named in inbox(approver)
    assert ">sandbox</span>" not in inbox(approver)
    Operator.objects.update(sandbox=True)
    assert f'{named} <span class="c-remark">sandbox</span>' in inbox(approver)


def test_the_requester_sees_that_another_person_has_to_decide(office: Office) -> None:
    approver = staff(*DECIDES, name="approver")
    own = memberships.staff_actor(User.objects.get(username="approver"))
    request_erasure(office, own)
    page = inbox(approver)
    assert "you: another person decides" in page
    assert "/confirm/" not in page


def test_changes_are_listed_by_the_permission_that_their_kind_needs(office: Office) -> None:
    for kind in (changes.PLAY_MONEY_CAP, access_changes.SUPERUSER):
        waiting_change(kind, operator=office.operator.pk, summary=f"Change {kind}.", by="staff:999")
    page = inbox(staff("operators.change_change", *roles.functions_of(Role.APPROVER), name="approver"))
    assert f"Change {changes.PLAY_MONEY_CAP}." in page
    assert f"Change {access_changes.SUPERUSER}." not in page


def test_money_that_waits_comes_first_then_requests_then_events_and_the_badge_counts_the_cards(office: Office) -> None:
    told = NewSignificantEvent(
        kind=SignificantEventKind.NEGATIVE_BALANCE, operator=office.operator.pk, subject="x:1", actor="system"
    )
    before = Unacknowledged.objects.count()
    recorder.record_many([told] * 2)
    request_erasure(office, "staff:999")
    request_adjustment(office)
    waiting_change(
        changes.PLAY_MONEY_CAP, operator=office.operator.pk, by="staff:999"
    )  # of a kind that she can't decide
    permissions = (*DECIDES, "wallet.approve_adjustment", "significant.acknowledge_significantevent")
    page = inbox(staff(*permissions, name="checker"))
    cards = re.findall(r"<h2>([^:<]+): (?:<[^>]+>)?(Credit)?", page)
    assert cards[:3] == [("Two-person change", "Credit"), ("Two-person change", ""), ("Significant event", "")]
    assert len(cards) == 4 + before
    counted = re.search(r">\s*(\d+)\s*<", page.split(f'href="{reverse("admin:desk_inbox")}"')[1])
    assert counted is not None
    assert int(counted[1]) == len(cards)


def test_a_change_is_handed_over_to_somebody_who_may_decide_it(office: Office) -> None:
    request_erasure(office, "staff:999")
    change = Change.objects.latest("requested_at")
    first, second = staff(*DECIDES, name="first"), staff(*DECIDES, name="second")
    staff("operators.change_change", name="other")
    actors = {user.username: memberships.staff_actor(user) for user in User.objects.all()}
    assert ">other</option>" not in inbox(first)
    address = f"{reverse('admin:operators_change_assign', args=[change.pk])}?inbox"
    refused = first.post(address, {"owner": actors["other"]})
    assert f'action="{address}"' in refused.content.decode(), "it leads back to the inbox once it is corrected"
    assert first.post(address, {"owner": actors["second"]}).headers["Location"] == reverse("admin:desk_inbox")
    change.refresh_from_db()
    assert (change.owner, change.version) == (actors["second"], 2)
    assert re.search(r"Handed to</dt><dd>.*?second", inbox(second))
    told = Email.objects.filter(subject__startswith="Handed over to you")
    assert list(told.values_list("address", flat=True)) == ["second@example.com"]
    second.post(reverse("admin:operators_change_decline", args=[change.pk]))
    change.refresh_from_db()
    assert change.status == ChangeStatus.DECLINED
    with pytest.raises(ChangeDecided):
        lifecycle.assign(change.pk, owner=actors["first"], by=actors["second"])


def test_an_event_is_handed_over_to_a_colleague_who_had_no_part_in_it(office: Office) -> None:
    rights = ("significant.view_significantevent", "significant.acknowledge_significantevent")
    first, second = (staff(*rights, name=name) for name in ("first", "second"))
    done_by, to_second = (memberships.staff_actor(User.objects.get(username=name)) for name in ("first", "second"))
    recorder.record(
        kind=SignificantEventKind.TABLE_STOPPED, operator=office.operator.pk, subject="table:1", actor=done_by
    )
    event = SignificantEvent.objects.latest("number")
    address = f"{reverse('admin:significant_significantevent_assign', args=[event.pk])}?inbox"
    assert first.post(address, {"owner": done_by}).status_code == 200, "refused, and shown again"
    assert first.post(address, {"owner": to_second}).headers["Location"] == reverse("admin:desk_inbox")
    assert re.search(r"Handed to</dt><dd>.*?second", inbox(second))
    assert "handed over to second" in second.get(page_of("significant_significantevent", event.pk)).content.decode()
    second.post(reverse("admin:significant_significantevent_acknowledge", args=[event.pk]))
    assert not Unacknowledged.objects.filter(event=event).exists()
    with pytest.raises(AlreadyAcknowledged):
        notes.assign(event.pk, owner=to_second, by=done_by)
    with pytest.raises(OwnSignificantEvent):
        notes.assign(event.pk, owner=done_by, by=to_second)


def test_nobody_is_handed_a_change_who_agreed_to_it_or_whom_it_concerns(office: Office) -> None:
    change = waiting_change(access_changes.SUPERUSER, operator=None, subject="staff:7", by="staff:8")
    for person in ("staff:7", "staff:8", "key:1"):
        with pytest.raises(ChangeNeedsSecondPerson):
            lifecycle.assign(change.pk, owner=person, by="staff:9")


def test_other_staff_have_no_inbox_and_nobody_sees_another_operators_requests(office: Office) -> None:
    waiting = request_erasure(office, "staff:999")
    assert staff("baccarat.view_round", name="looker").get(reverse("admin:desk_inbox")).status_code == 403
    assert waiting not in inbox(staff(*DECIDES, name="stranger", works_for="nobody"))


def test_an_adjustment_says_who_asked_why_and_what_it_does_before_it_is_done(office: Office) -> None:
    request_adjustment(office)
    page = inbox(staff("operators.change_change", "wallet.approve_adjustment", name="checker"))
    assert "Credit 25.00 EUR" in page
    assert "goodwill: A late answer" in page
    assert re.search(r"What it does</dt><dd>[^<]*<?.*?25\.00", page, re.DOTALL)
    assert page.index("What it does") < page.index("1 of 2")


def test_an_event_says_what_it_is_about_and_how_much(office: Office) -> None:
    recorder.record(
        kind=SignificantEventKind.LARGE_WIN, operator=office.operator.pk, subject=f"player:{office.player.id}",
        actor="system", amount=990_000, currency="EUR", reason="Above the threshold.",
    )  # fmt: skip
    page = inbox(staff("significant.acknowledge_significantevent", "operators.view_player", name="checker"))
    card = next(each for each in page.split("<article")[1:] if "Large win" in each)
    for text in (
        "9900.00",
        f'{page_of("operators_player", office.player.id)}">player Alice</a>',
        "Above the threshold.",
    ):
        assert text in card


def test_a_change_is_shown_in_units_of_its_currency_and_in_words(office: Office) -> None:
    payments.request_policy(
        operator=office.operator.id,
        currency="EUR",
        auto_approve_up_to=5_000,
        second_approval_above=100_000,
        terms=WithdrawalTerms(minimum=1_000, maximum=250_000, max_pending=2),
        holds=HoldTerms(),
        by="staff:999",
    )
    change = Change.objects.get(kind=payments.POLICY)
    body = unescape(superuser().get(page_of("operators_change", change.pk)).content.decode())
    for text in ("minimum 10.00", "maximum 2500.00", "max pending 2", "fee fixed 0.00"):
        assert text in body
    assert "<dd>1000.00</dd>" in body
    assert "{" not in body.split("Second approval above")[1].split("Id</dt>")[0]


def test_the_menu_offers_the_inbox_to_those_for_whom_it_has_a_list(office: Office) -> None:
    assert set(badges.DECISIONS) == set(menu.DECISIONS)
    assert reverse("admin:desk_inbox") in superuser().get(reverse("admin:index")).content.decode()


def test_the_menu_has_25_lines_whose_other_pages_are_tabs(office: Office) -> None:
    entries = [entry for group in menu.NAVIGATION for entry in group["items"]]
    page = superuser().get(reverse("admin:staff_member_changelist")).content.decode()
    tabs = re.search(r'<nav class="c-tabs".*?</nav>', page, re.DOTALL)
    assert len(entries) == 25
    assert tabs is not None
    assert re.findall(r">([^<]+)</a>", tabs[0]) == ["Users", "Access review", "Roles", "Who can do what", "Logins"]
    assert re.findall(r'aria-current="page">([^<]+)<', tabs[0]) == ["Access review"]


def test_a_line_of_the_menu_leads_to_the_first_page_that_the_user_may_see(office: Office) -> None:
    page = staff("staff.view_rolegroup", "staff.view_signin", name="auditor").get(reverse("admin:index"))
    menu_ = unescape(page.content.decode())
    assert f'href="{reverse("admin:staff_rolegroup_changelist")}"' in menu_
    assert f'href="{reverse("admin:staff_signin_changelist")}"' not in menu_
    assert f'href="{reverse("admin:auth_user_changelist")}"' not in menu_


def test_the_system_page_lists_its_records_with_the_newest_of_each(office: Office) -> None:
    page = superuser().get(reverse("admin:desk_system")).content.decode()
    for name in ("alerts_heartbeat", "events_event", "events_chainhead", "checkpoints_checkpoint"):
        assert reverse(f"admin:{name}_changelist") in page
    assert staff("baccarat.view_round", name="nobody").get(reverse("admin:desk_system")).status_code == 403
