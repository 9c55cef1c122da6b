"""Who works on a case is told by e-mail while its deadline is near, once for each deadline."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import Permission, User

from casino.compliance import case_entries, cases, reminders
from casino.compliance.models import CaseEntry, CaseEntryKind, CaseKind
from casino.events.sql import database_now
from casino.mail.models import Email
from casino.operators import services
from casino.operators.models import StaffMembership
from tests.support.acts import agreed

pytestmark = pytest.mark.django_db


@pytest.fixture
def lucky() -> UUID:
    return services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False).pk


def member(name: str, *permissions: str, operator: UUID) -> str:
    with agreed():
        user = User.objects.create_user(name, f"{name}@lucky.example", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        StaffMembership.objects.create(user=user, operator_id=operator)
    return f"staff:{user.pk}"


def opened(operator: UUID, *, by: str = "", hours: int) -> UUID:
    """Open a complaint that is due in so many hours."""
    case = cases.open_case(
        operator=operator, kind=CaseKind.COMPLAINT, subject=f"player:{uuid4()} complaint 1", details={}, by=by
    )
    assert case is not None
    set_deadline(case, operator, hours)
    return case


def set_deadline(case: UUID, operator: UUID, hours: int) -> None:
    case_entries.add_entry(
        case, operator=operator, kind=CaseEntryKind.DEADLINE, text="By law.", by="system",
        due_at=database_now() + timedelta(hours=hours), is_personal=False,
    )  # fmt: skip


def told() -> list[str]:
    return sorted(Email.objects.values_list("address", flat=True))


def test_its_owner_and_its_author_are_told_once_for_each_deadline(lucky: UUID) -> None:
    sue, carla = member("sue", operator=lucky), member("carla", "resolve_case", operator=lucky)
    case = opened(lucky, by=sue, hours=30)
    opened(lucky, by=sue, hours=80)
    cases.assign_case(case, operator=lucky, owner=carla, by=carla)

    assert [reminders.remind(), reminders.remind()] == [1, 0]

    assert told() == ["carla@lucky.example", "sue@lucky.example"]
    (mail, _) = Email.objects.all()
    assert str(case) in mail.body
    (entry,) = CaseEntry.objects.filter(case_id=case, kind=CaseEntryKind.REMINDER)
    assert sue in entry.text and carla in entry.text  # noqa: PT018
    set_deadline(case, lucky, 20)
    assert [reminders.remind(), reminders.remind()] == [1, 0]


def test_without_an_owner_all_who_may_resolve_it_at_this_operator_are_told(lucky: UUID) -> None:
    other = services.create_operator(slug="other", name="Other", currencies=["EUR"], sandbox=False).pk
    for name, house in (("carla", lucky), ("cleo", lucky), ("olga", other)):
        member(name, "resolve_case", operator=house)
    member("sue", "view_case", operator=lucky)
    opened(lucky, by="desk:agent-7", hours=30)
    reminders.remind()
    assert told() == ["carla@lucky.example", "cleo@lucky.example"]


@pytest.mark.parametrize("hours", [30, 80])
def test_nobody_is_told_of_what_is_resolved_or_was_put_off(lucky: UUID, hours: int) -> None:
    member("carla", "resolve_case", operator=lucky)
    case = opened(lucky, hours=30)
    if hours == 30:
        cases.resolve_case(case, operator=lucky, resolution="Answered.", by="staff:1")
    else:
        set_deadline(case, lucky, hours)
    assert (reminders.remind(), told()) == (0, [])


def test_a_reopened_case_is_due_again(lucky: UUID) -> None:
    carla = member("carla", "resolve_case", operator=lucky)
    case = opened(lucky, hours=30)
    cases.resolve_case(case, operator=lucky, resolution="Answered.", by=carla)
    assert reminders.remind() == 0
    cases.reopen_case(case, operator=lucky, by=carla)
    assert reminders.remind() == 1
