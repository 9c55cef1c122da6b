"""Reports: versions, files, creation, cases, and the plots of the first page."""

from collections.abc import Generator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from baccarat.domain.rules.wagers import Spot
from baccarat.reports import days
from casino.compliance import cases
from casino.compliance.models import Case
from casino.events import sealer
from casino.operators.models import Operator
from casino.reports import generation
from casino.reports.intervals import between
from casino.reports.models import Report
from casino.staff.models import AccessLogEntry
from tests.baccarat.reports.history import Evening, begin
from tests.services import Services
from tests.support.house import deal_all, fresh_database
from tests.support.office import page_of, staff

LIST = "admin:reports_report_changelist"
VIEW, MAKE = "reports.view_report", "reports.generate_report"


@pytest.fixture(scope="module")
def evening(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Evening]:
    """Create an operator with some play and two versions of a report, and another operator."""
    with fresh_database(services, django_db_blocker):
        begin(11)
        evening = begin(10)
        for _ in range(2):
            at = evening.house.seated(evening.house.table("mini"))
            at.deal({Spot.TIE: 500})
            deal_all()
            sealer.seal_all()
            report(evening)
        yield evening


@pytest.fixture(autouse=True)
def nobody(evening: Evening) -> Generator[None]:
    """Each test creates its own staff."""
    yield
    LogEntry.objects.all().delete()
    User.objects.all().delete()


def report(evening: Evening) -> Report:
    interval = between(since=evening.cuts[0], until=evening.cuts[0].replace(year=2099), zone="UTC")
    return generation.generate_report(operator=evening.operator, name="revenue", interval=interval, by="system")


def of_us(evening: Evening, *permissions: str) -> Client:
    return staff(*permissions, works_for=Operator.objects.get(id=evening.operator).slug)


def text(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_reports_page_shows_its_rows_files_and_changes(evening: Evening) -> None:
    client, newest = of_us(evening, VIEW), report(evening)
    page = text(client, page_of("reports_report", newest.pk))
    for word in (newest.sha256, "matches its hash", "Since version 1", "GGR", "Commission earned"):
        assert word in page
    assert "Create report" not in text(client, reverse(LIST))
    assert "Regenerate" not in page


def test_downloads_are_logged(evening: Evening) -> None:
    client, newest = of_us(evening, VIEW), report(evening)
    url = reverse("admin:reports_report_file", args=[newest.pk])
    assert client.get(url).content == bytes(newest.content)
    assert client.get(url, {"format": "csv"}).content.startswith(b"Operator,Lucky")
    assert client.get(url, {"format": "xls"}).status_code == 403
    assert client.post(url).status_code == 405
    assert {entry.change_message for entry in LogEntry.objects.all()} == {
        f"Downloaded revenue-interval-{newest.since:%Y%m%d}-v2.{form}." for form in ("json", "csv")
    }
    assert AccessLogEntry.objects.filter(subject=f"report:{newest.pk}", path=url).count() == 2


def test_staff_of_another_operator_see_no_report(evening: Evening) -> None:
    other = Operator.objects.exclude(id=evening.operator).get()
    client, newest = staff(VIEW, MAKE, works_for=other.slug), report(evening)
    assert str(newest.pk) not in text(client, reverse(LIST))
    assert client.get(reverse("admin:reports_report_file", args=[newest.pk])).status_code == 403
    assert client.get(page_of("reports_report", newest.pk)).status_code == 302
    ours = Operator.objects.get(id=evening.operator).slug
    wanted = {"operator": ours, "name": "revenue", "period": "lifetime"}
    assert "c-wrong" in client.post(reverse("admin:reports_report_create"), wanted).content.decode()
    assert not Report.objects.filter(period="lifetime").exists()


def test_reports_are_created_with_the_permission(evening: Evening) -> None:
    client, url = of_us(evening, VIEW, MAKE), reverse("admin:reports_report_create")
    ours = Operator.objects.get(id=evening.operator).slug
    assert url in text(client, reverse(LIST))
    assert ours in text(client, url)
    made = client.post(url, {"operator": ours, "name": "liability", "period": "day", "date": "2026-01-01"})
    assert made.status_code == 302
    assert "No activity" in text(client, made.headers["Location"])
    for wrong in ({"period": "day", "date": "then"}, {"period": "interval"}, {"period": "day", "date": "2190-01-01"}):
        answer = client.post(url, {"operator": ours, "name": "liability", **wrong})
        assert answer.status_code == 200
        assert Report.objects.filter(name="liability").count() == 1
    again = reverse("admin:reports_report_regenerate", args=[report(evening).pk])
    client.post(again)
    assert "is unchanged" in LogEntry.objects.latest("id").change_message
    assert of_us_without(client, url) == 403


def of_us_without(client: Client, url: str) -> int:
    """Return the status of the page that creates reports without the permission."""
    User.objects.get().user_permissions.filter(codename="generate_report").delete()
    return client.get(url).status_code


def test_cases_are_a_queue_with_owners_and_resolutions(evening: Evening) -> None:
    found = cases.open_case(
        operator=evening.operator,
        kind="return_out_of_band",
        subject=f"table:{evening.tables[0]} mini@1 tie",
        details={"a": 1},
    )
    assert found is not None
    client = of_us(evening, "compliance.view_case", "compliance.resolve_case", "baccarat.view_table")
    listed = reverse("admin:compliance_case_changelist")
    assert "return out of band" in text(client, f"{listed}?status=waiting")
    assert "Cases" in text(client, reverse("admin:index"))
    client.post(reverse("admin:compliance_case_assign", args=[found]), {"owner": ""})
    assert "Resolve" in text(client, page_of("compliance_case", found))
    client.post(
        reverse("admin:compliance_case_resolve", args=[found]), {"resolution": "One lucky guest; the seed was checked."}
    )
    page = text(client, page_of("compliance_case", found))
    assert "One lucky guest" in page
    assert "Assign</button>" not in page
    assert "return out of band" not in text(client, f"{listed}?status=waiting")
    assert Case.objects.get().pk == found


def past_day(evening: Evening, back: int, **figures: int | str) -> None:
    """Build a report of a past day with these figures."""
    since = evening.cuts[0].replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=back)
    for name in ("revenue", "accounts", "performance"):
        told = [{"money_type": "sandbox", "currency": "EUR", **FIGURES[name], **figures}]
        Report.objects.create(
            id=uuid4(), operator_id=evening.operator, name=name, period="day", since=since,
            until=since + timedelta(days=1), label=f"{since:%Y-%m-%d}", version=1, position=1, rows=1,
            generated_by="system", generated_at=since, sha256="", facts_digest="", content=b"{}", figures=told,
        )  # fmt: skip


FIGURES: dict[str, dict[str, int | str]] = {
    "revenue": {"ggr": -1_950, "rounds": 40, "handle": 100_000},
    "accounts": {"active": 7, "wagered": 100_000},
    "performance": {"handle": 100_000, "returned": 101_950, "expected": 98_000, "variance": "25000000"},
}


def test_the_first_page_plots_the_last_days_with_the_permission(evening: Evening) -> None:
    cache.clear()
    past_day(evening, 2)
    past_day(evening, 1)
    (played,) = days.recent_days([evening.operator])
    assert len(played.days) == days.DAYS_BACK
    assert not any(day.rounds or day.handle or day.actual for day in played.days[:-3]), "days without play have nothing"
    told = [(day.ggr, day.rounds, day.players, day.handle, day.returned) for day in played.days[-3:]]
    assert told[:2] == [(-1_950, 40, 7, 100_000, 101_950)] * 2
    assert told[2][1:4] == (2, 2, 1_000)
    assert told[2][0] == 1_000 - told[2][4]
    low, high = played.days[-3].bounds or (0, 0)
    assert (float(low), float(high)) == pytest.approx((0.98 - 0.1287915, 0.98 + 0.1287915))
    low, high = played.days[-1].bounds or (0, 0)
    assert low < 1 < high, "two rounds may return anything"

    without_today = days.recent_days([evening.operator], today=False)[0].days
    assert [day.label for day in without_today[1:]] == [day.label for day in played.days[:-1]]

    front = reverse("admin:index")
    client = of_us(evening, VIEW)
    page = text(client, front)
    assert "Sandbox credits in EUR: the last 30 days" in page
    assert "-19.50" in page
    with CaptureQueriesContext(connection) as captured:
        text(client, front)
    assert not any("reports_report" in query["sql"] for query in captured), "read once a minute"
    User.objects.all().delete()
    other = Operator.objects.exclude(id=evening.operator).get()
    assert "-19.50" not in text(staff(VIEW, works_for=other.slug), front)
    User.objects.all().delete()
    assert "the last 30 days" not in text(of_us(evening), front)


def test_the_first_page_says_when_there_was_no_play(evening: Evening) -> None:
    cache.clear()
    empty = Operator.objects.create(id=uuid4(), slug="empty", name="Empty", currencies=["EUR"])
    assert "No play in the last days." in text(staff(VIEW, works_for=empty.slug), reverse("admin:index"))
