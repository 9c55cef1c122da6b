"""The audit trail of staff: who sees whose actions, filters, search and export."""

import csv
from datetime import timedelta

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from casino.operators import services
from casino.operators.models import Operator, Player, StaffMembership
from tests.support import workbooks
from tests.support.office import client_of, superuser

pytestmark = pytest.mark.django_db
LIST = "admin:admin_logentry_changelist"
EXPORT = "admin:admin_logentry_export"


def operator(slug: str) -> Operator:
    return services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True)


def member(name: str, *operators: Operator, rights: tuple[str, ...] = ()) -> User:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    for each in operators:
        StaffMembership.objects.create(user=user, operator=each)
    return user


def acted(user: User, message: str, *, days_ago: int = 0, on: type = Player, row: str = "1") -> LogEntry:
    entry = LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(on),
        object_id=row,
        object_repr=f"row {row}",
        action_flag=CHANGE,
        change_message=message,
    )
    LogEntry.objects.filter(pk=entry.pk).update(action_time=timezone.now() - timedelta(days=days_ago))
    return entry


def listed(client: Client, **query: object) -> list[str]:
    rows = client.get(reverse(LIST), query).context["cl"].result_list
    return [row.change_message for row in rows]


RIGHTS = ("view_logentry", "export_access_review")


def test_compliance_sees_the_actions_of_all_who_work_for_its_operators_alone() -> None:
    lucky, rival = operator("lucky"), operator("rival")
    auditor = member("auditor", lucky, rights=RIGHTS)
    acted(member("cashier", lucky), "paid")
    acted(member("both", lucky, rival), "elsewhere, too")
    acted(member("theirs", rival), "theirs")
    acted(User.objects.create_superuser("root", "root@example.com", "a-long-password"), "of the house")
    acted(auditor, "own")
    assert listed(client_of(auditor)) == ["own", "paid"]


def test_staff_of_all_operators_see_everybodys_actions() -> None:
    lucky, rival = operator("lucky"), operator("rival")
    acted(member("cashier", rival), "paid")
    acted(User.objects.create_superuser("chief", "chief@example.com", "a-long-password"), "of the house")
    auditor = member("auditor", lucky, rival, rights=RIGHTS)
    assert listed(client_of(auditor)) == ["of the house", "paid"]


def test_actions_are_filtered_by_person_operator_page_kind_and_time_and_searched_by_day_login_and_row() -> None:
    lucky, rival = operator("lucky"), operator("rival")
    ann, bob = member("ann", lucky), member("bob", rival)
    acted(ann, "old", days_ago=40, row="7")
    acted(ann, "new")
    acted(bob, "user", on=User)
    client = superuser()
    assert listed(client) == ["user", "new", "old"]
    assert listed(client, staff=ann.pk) == ["new", "old"]
    assert listed(client, operator=rival.pk) == ["user"]
    assert listed(client, page=ContentType.objects.get_for_model(User).pk) == ["user"]
    assert listed(client, kind=CHANGE, within="30d") == ["user", "new"]
    day = (timezone.now() - timedelta(days=40)).date()
    assert listed(client, q=day.isoformat()) == ["old"]
    assert listed(client, q="bob") == ["user"]
    assert listed(client, q="7") == ["old"]
    assert listed(client, q="2026-99-99") == []


def test_the_export_has_what_the_filtered_list_has_and_no_formula() -> None:
    lucky = operator("lucky")
    ann = member("ann", lucky)
    acted(ann, "=1+1")
    acted(member("bob", lucky), "other")
    auditor = client_of(member("auditor", lucky, rights=RIGHTS))
    answer = auditor.get(reverse(EXPORT), {"staff": ann.pk})
    header, *rows = csv.reader(b"".join(answer).decode("utf-8-sig").splitlines())
    (row,) = (dict(zip(header, row, strict=True)) for row in rows)
    assert (row["login"], row["user_id"], row["kind"], row["row"]) == ("ann", str(ann.pk), "Changed", "row 1")
    assert row["action"] == "'=1+1"
    assert answer["Content-Disposition"].startswith('attachment; filename="lucky-staff-actions-2')
    book = b"".join(auditor.get(reverse(EXPORT, kwargs={"file_format": "xlsx"}), {"staff": ann.pk}))
    assert workbooks.rows_of(book, "Staff actions") == [header, [*list(row.values())[:-1], "=1+1"]]
    page = auditor.get(reverse(LIST), {"staff": ann.pk}).content.decode()
    for file_format in ("csv", "xlsx"):
        assert f"{reverse(EXPORT, kwargs={'file_format': file_format})}?staff={ann.pk}" in page


def test_the_export_needs_its_own_permission() -> None:
    client = client_of(member("reader", operator("lucky"), rights=RIGHTS[:1]))
    assert client.get(reverse(LIST)).status_code == 200
    assert client.get(reverse(EXPORT)).status_code == 403
