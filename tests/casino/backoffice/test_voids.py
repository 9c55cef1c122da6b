"""Voids of rounds: permissions, two persons, and the operator's own rounds."""

from html import unescape
from io import StringIO
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from baccarat.storage.models import Round, Wager
from casino.backoffice import html
from casino.events import store
from casino.operators.models import Change, Operator, StaffMembership
from casino.operators.services import create_operator
from tests.support.examples import P
from tests.support.office import Office, client_of, open_office, page_of

BOTH = ("view_round", "request_void", "approve_void")
OTHER = {"id": UUID(int=7), "name": "Other", "currencies": ["EUR"]}
ASKED = {"reason": "malfunction", "note": "The shoe jammed."}


@pytest.fixture
def office(db: None) -> Office:
    return open_office()


def member(name: str, *permissions: str, works_for: str | None = "lucky") -> Client:
    """Log in a member of staff of one operator with these permissions on rounds."""
    user = User.objects.create_user(name, f"{name}@example.com", "a-long-password", is_staff=True)
    user.user_permissions.add(*Permission.objects.filter(content_type__app_label="baccarat", codename__in=permissions))
    user.user_permissions.add(*Permission.objects.filter(codename__in=("view_change", "change_change")))
    if works_for is not None:
        StaffMembership.objects.create(
            user=user, operator=Operator.objects.get_or_create(slug=works_for, defaults=OTHER)[0]
        )
    return client_of(user)


def url(name: str, round_: Round) -> str:
    return reverse(f"admin:baccarat_round_{name}", args=[round_.pk])


def said(client: Client, name: str, round_: Round, **fields: str) -> str:
    answer = client.post(url(name, round_), fields, follow=True)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def phase(round_: Round) -> str:
    return Round.objects.get(pk=round_.pk).phase


def decide(client: Client, action: str, change: Change) -> str:
    """Decide a change and return the phase of its round then."""
    client.post(reverse(f"admin:operators_change_{action}", args=[change.pk]))
    return Round.objects.get(pk=change.subject.removeprefix("round:")).phase


def test_a_settled_round_is_voided_by_two_members_of_staff(office: Office) -> None:
    round_ = office.settled(office.single)
    maker, checker = member("maker", *BOTH), member("checker", *BOTH)
    assert url("void", round_) in maker.get(page_of("baccarat_round", round_.pk)).content.decode()
    form = maker.get(url("void", round_)).content.decode()
    assert url("request_void", round_) in form
    assert 'value="malfunction"' in form

    assert "another member of staff has to agree" in said(maker, "request_void", round_, **ASKED)
    change = Change.objects.get(subject=f"round:{round_.pk}")
    assert page_of("operators_change", change.pk) in checker.get(page_of("baccarat_round", round_.pk)).content.decode()
    assert "The shoe jammed." in unescape(checker.get(page_of("operators_change", change.pk)).content.decode())
    assert decide(maker, "confirm", change) == "settled"
    assert decide(checker, "confirm", change) == "voided"
    told = checker.get(page_of("baccarat_round", round_.pk)).content.decode()

    assert "Void: malfunction" in told
    assert url("void", round_) not in told
    assert "the results of these wagers were reversed" in told  # and no result stands as if it held
    assert store.read(f"round-{round_.pk}")[-1].type == "RoundVoided"


def test_a_round_in_play_is_voided_by_one_person(office: Office) -> None:
    office.single.deal({P: 10_000})
    round_ = Round.objects.get(table_id=office.single.guest.table, phase="betting")

    assert "every stake went back" in said(member("maker", *BOTH), "request_void", round_, **ASKED)

    assert phase(round_) == "voided"


def test_a_request_is_listed_and_can_be_declined(office: Office) -> None:
    round_ = office.settled(office.single)
    maker, checker = member("maker", *BOTH), member("checker", *BOTH)
    said(maker, "request_void", round_, **ASKED)
    change = Change.objects.get(subject=f"round:{round_.pk}")
    inbox = checker.get(reverse("admin:desk_inbox")).content.decode()
    page = checker.get(page_of("operators_change", change.pk)).content.decode()
    net = Wager.objects.get(round_id=round_.pk)
    taken = html.money(net.staked - net.returned, round_.currency, signed=True)
    assert page_of("operators_change", change.pk) in inbox
    for text in (str(taken), "maker", "malfunction: The shoe jammed.", "1 of 2"):
        assert text in inbox
    assert str(taken) in page

    assert decide(checker, "decline", change) == "settled"
    assert Change.objects.get(pk=change.pk).status == "declined"


@pytest.mark.parametrize("fields", [{}, {"reason": "boredom", "note": "x"}, {"reason": "fraud", "note": " "}])
def test_a_void_needs_a_reason_and_an_explanation(office: Office, fields: dict[str, str]) -> None:
    round_ = office.settled(office.single)

    answer = member("maker", *BOTH).post(url("request_void", round_), fields, follow=True)

    assert "error" in {message.level_tag for message in answer.context["messages"]}
    assert store.read(f"round-{round_.pk}")[-1].type == "RoundSettled"


def test_voiding_needs_a_permission_of_its_own(office: Office) -> None:
    round_ = office.settled(office.single)
    looker, asker = member("looker", "view_round"), member("asker", "view_round", "request_void")

    assert url("void", round_) not in looker.get(page_of("baccarat_round", round_.pk)).content.decode()
    assert looker.get(url("void", round_)).status_code == 403
    assert looker.post(url("request_void", round_), ASKED).status_code == 403
    assert asker.get(url("request_void", round_)).status_code == 405
    assert asker.post(url("void", round_)).status_code == 405
    said(asker, "request_void", round_, **ASKED)
    change = Change.objects.get(subject=f"round:{round_.pk}")
    for action in ("confirm", "decline"):
        assert asker.post(reverse(f"admin:operators_change_{action}", args=[change.pk])).status_code == 403
    assert phase(round_) == "settled"


@pytest.mark.parametrize("works_for", ["other", None])
def test_staff_of_another_operator_cannot_void_a_round(office: Office, works_for: str | None) -> None:
    round_ = office.settled(office.single)
    stranger = member("stranger", *BOTH, works_for=works_for)

    assert stranger.get(url("void", round_)).status_code == 404
    assert stranger.post(url("request_void", round_), ASKED).status_code == 403
    assert store.read(f"round-{round_.pk}")[-1].type == "RoundSettled"


def test_a_command_sets_the_policy_for_spent_winnings(office: Office) -> None:
    def told(*arguments: str) -> str:
        out = StringIO()
        call_command("void_policy", *arguments, stdout=out)
        return out.getvalue().strip()

    create_operator(slug="trial", name="Trial", currencies=["EUR"], sandbox=True)
    assert told("trial") == "void_policy: operator=trial spent=debt"
    assert told("trial", "--spent", "forgive") == "void_policy: operator=trial spent=forgive"
    assert told("trial") == "void_policy: operator=trial spent=forgive"
    with pytest.raises(CommandError):
        told("nobody")
    said = told("lucky", "--spent", "forgive")
    change = Change.objects.get(kind="void_policy")
    assert f"nothing has changed. Change {change.pk}" in said
    assert said.endswith("void_policy: operator=lucky spent=debt")
