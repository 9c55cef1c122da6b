"""Reports: versions, files, creation, cases, and the figures of the first page and of a day."""

import re
from collections.abc import Generator
from datetime import date, timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from pytest_django import DjangoDbBlocker

from baccarat.reports import days
from casino.backoffice.report_cells import ReportLayout, rows_grid
from casino.compliance import cases
from casino.compliance.models import Case
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.kernel.money import MoneyType
from casino.operators.models import Operator
from casino.reports import document, generation
from casino.reports.intervals import ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.renderers import file_stem
from casino.staff.models import AccessLogEntry
from tests.baccarat.reports.history import Evening, begin
from tests.services import Services
from tests.support.house import deal_all, fresh_database
from tests.support.office import client_of, page_of, staff

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
            at.deal({"tie": 500})
            deal_all()
            sealer.seal_all()
            report(evening)
        yield evening


@pytest.fixture(autouse=True)
def undone(evening: Evening) -> Generator[None]:
    """Roll back what a test adds to the evening."""
    with transaction.atomic():
        execute("SET LOCAL idle_in_transaction_session_timeout = '1min'")
        yield
        transaction.set_rollback(True)


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
    for word in (newest.sha256, "matches its hash", "Since version 1", "GGR", "Commission"):
        assert word in page
    assert "Create report" not in text(client, reverse(LIST))
    assert "Regenerate" not in page


def test_downloads_are_logged(evening: Evening) -> None:
    client, newest = of_us(evening, VIEW), report(evening)
    url = reverse("admin:reports_report_file", args=[newest.pk])
    assert client.get(url).content == bytes(newest.content)
    assert client.get(url, {"format": "csv"}).content.decode("utf-8-sig").startswith("Operator,Lucky")
    assert client.get(url, {"format": "xls"}).status_code == 403
    assert client.post(url).status_code == 405
    assert {entry.change_message for entry in LogEntry.objects.all()} == {
        f"Downloaded {file_stem(newest)}.{form}." for form in ("json", "csv")
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
    granted = User.objects.get().user_permissions
    granted.remove(granted.get(codename="generate_report"))
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
        reverse("admin:compliance_case_entry", args=[found]),
        {"step": "resolved", "text": "One lucky guest; the seed was checked."},
    )
    page = text(client, page_of("compliance_case", found))
    assert "One lucky guest" in page
    assert "Hand over</button>" not in page
    assert "return out of band" not in text(client, f"{listed}?status=waiting")
    assert Case.objects.get().pk == found


def past_day(
    evening: Evening, back: int, money_type: str = "sandbox", operator: Operator | None = None, **figures: int | str
) -> None:
    """Build the reports of a past day with these figures, of the evening's operator or of another."""
    owner = evening.operator if operator is None else operator.pk
    day = days.today([owner]) - timedelta(days=back)
    interval = period_interval(ReportPeriod.DAY, day=day, zone="UTC")
    since, until = interval.since, interval.until
    for name in ("revenue", "accounts", "performance"):
        told = [{"money_type": money_type, "currency": "EUR", **FIGURES[name], **figures}]
        version = Report.objects.filter(operator_id=owner, name=name, since=since).count() + 1
        Report.objects.create(
            id=uuid4(), operator_id=owner, name=name, period="day", since=since,
            until=until, label=f"{since:%Y-%m-%d}", version=version, position=1, rows=1,
            generated_by="system", generated_at=until, sha256="", facts_digest="", content=b"{}", figures=told,
        )  # fmt: skip


FIGURES: dict[str, dict[str, int | str]] = {
    "revenue": {"ggr": -1_950, "rounds": 40, "handle": 100_000},
    "accounts": {"active": 7, "wagered": 100_000, "deposits": 5_000, "deposits_reversed": -700, "withdrawals": -3_000},
    "performance": {"handle": 100_000, "returned": 101_950, "expected": 98_000, "variance": "25000000"},
}


def front(client: Client, **query: str) -> str:
    cache.clear()
    return text(client, f"{reverse('admin:index')}?{urlencode(query)}")


def test_the_first_page_shows_a_period_beside_the_one_before(evening: Evening) -> None:
    """Figures of days with reports, and of today from the ledger; the latest versions count."""
    cache.clear()
    for back in (1, 2, 9):
        past_day(evening, back)
    today = days.today([evening.operator])
    read = days.read_days([evening.operator], first=today - timedelta(days=13), last=today)
    (money,) = read.monies()
    told = [(day.ggr, day.rounds, day.players, day.handle, day.returned) for day in read.by_day(money, read.days())]
    assert [each for each in told[:-1] if each[1]] == [(-1_950, 40, 7, 100_000, 101_950)] * 3
    assert told[-1][1:4] == (2, 2, 1_000)
    assert told[-1][0] == 1_000 - told[-1][4]
    week = read.total(money, read.days(today - timedelta(days=6)))
    assert (week.deposits, week.withdrawals, week.rounds) == (8_600, 6_000, 82)
    (yesterday,) = read.by_day(money, [(today - timedelta(days=1)).isoformat()])
    low, high = yesterday.hold_band or (0, 0)
    assert (float(low), float(high)) == pytest.approx((0.02 - 0.1287915, 0.02 + 0.1287915))
    low, high = read.by_day(money, [today.isoformat()])[0].hold_band or (0, 0)
    assert low < 0 < high, "two rounds may return anything"

    client = of_us(evening, VIEW)
    page = front(client, period="yesterday")
    assert f"Sandbox credits, EUR, {yesterday_of(today)} to {yesterday_of(today)}" in page
    assert page.count("\N{MINUS SIGN}19.50") == 2, "the day, and the table of days"
    assert "before: -19.50" in page
    with CaptureQueriesContext(connection) as captured:
        text(client, f"{reverse('admin:index')}?period=yesterday")
    assert not any("reports_report" in query["sql"] for query in captured), "read once a minute"
    assert len(captured) < 40
    User.objects.all().delete()
    assert "Sandbox credits" not in front(of_us(evening))


def yesterday_of(today: date) -> str:
    return (today - timedelta(days=1)).isoformat()


def live_beside(evening: Evening) -> Operator:
    """Make the other operator a live one."""
    others = Operator.objects.exclude(id=evening.operator)
    others.update(sandbox=False)
    return others.get()


def test_real_money_is_first_however_busy_play_money_is(evening: Evening) -> None:
    live = live_beside(evening)
    past_day(evening, 3, money_type="play", operator=live, handle=10**12, rounds=10**6)
    past_day(evening, 4, money_type="real", operator=live, handle=1, rounds=1)
    page = front(staff(VIEW))
    assert page.index("Real money, EUR") < page.index("Play money, EUR") < page.index("Sandbox credits, EUR")
    assert "Play money, EUR, 20" in front(member(), money="play-EUR")
    assert "Real money, EUR, 20" in front(member(), money="real-XXX"), "the first one for what is not there"


def test_no_figure_adds_up_the_play_money_of_a_sandbox_and_of_a_live_operator(evening: Evening) -> None:
    live, client, slug = live_beside(evening), staff(VIEW), Operator.objects.get(id=evening.operator).slug
    past_day(evening, 1, money_type="play", handle=1_111)
    past_day(evening, 1, money_type="play", operator=live, handle=2_222)
    day = (days.today(None) - timedelta(days=1)).isoformat()

    for money, own, name, figure in (
        ("play-EUR", live.slug, "Play money, EUR", "22.22"),
        ("sandbox_play-EUR", slug, "Sandbox play money, EUR", "11.11"),
    ):
        pages = (
            front(client, period="yesterday", money=money),
            text(client, f"{reverse('admin:desk_day')}?{urlencode({'money': money, 'day': day})}"),
        )
        for page in pages:
            by_operator = page[page.rindex("By operator") :]
            assert {each for each in (live.slug, slug) if f">{each}</a>" in by_operator} == {own}
            assert figure in by_operator
            assert name in page
            assert "33.33" not in page


def test_the_day_of_a_sandbox_has_its_play_money_under_a_name_of_its_own(evening: Evening) -> None:
    evening.house.seated(evening.house.table("mini"), money_type=MoneyType.PLAY).deal({"tie": 1_500})
    deal_all()
    sealer.seal_all()
    client, query = of_us(evening, VIEW, "operators.view_player"), {"day": days.today([evening.operator]).isoformat()}
    url = reverse("admin:desk_day")

    page = text(client, f"{url}?{urlencode({**query, 'money': 'sandbox_play-EUR'})}")
    assert "Sandbox play money, EUR" in page
    assert "15.00 <small>EUR" in page
    assert "15.00 <small>EUR" not in text(client, f"{url}?{urlencode({**query, 'money': 'play-EUR'})}")
    assert "Sandbox play money, EUR" in front(client)


def member() -> Client:
    return client_of(User.objects.get())


def test_the_first_page_and_its_days_are_those_of_the_users_operators(evening: Evening) -> None:
    past_day(evening, 5)
    other = Operator.objects.exclude(id=evening.operator).get()
    client = staff(VIEW, works_for=other.slug)
    assert "\N{MINUS SIGN}19.50" not in front(client)
    ours = str(evening.operator)
    assert "Select a valid choice" in front(client, operator=ours)
    day = days.today(None).isoformat()
    url = reverse("admin:desk_day")
    assert client.get(url, {"money": "sandbox-EUR", "day": day, "operator": ours}).status_code == 403
    assert client.get(url, {"money": "sandbox-EUR", "day": day}).status_code == 200
    for wrong in (
        {"day": "then"},
        {"day": "1900-01-01"},
        {"money": "gold-EUR"},
        {"hour": "x"},
        {"hour": "2020-01-01T00:00"},
    ):
        query = {"money": "sandbox-EUR", "day": day, "operator": str(other.pk), **wrong}
        assert client.get(url, query).status_code == 403, wrong
    assert client.post(url).status_code in {403, 405}
    for wrong in ({"since": day}, {"since": day, "until": "2020-01-01"}, {"period": "never"}):
        assert "c-wrong" in front(client, **wrong)
    User.objects.all().delete()
    assert staff("baccarat.view_round", name="looker").get(url, {"money": "sandbox-EUR", "day": day}).status_code == 403


def test_a_day_leads_to_its_tables_hours_players_and_rounds(evening: Evening) -> None:
    client = of_us(
        evening, VIEW, "baccarat.view_table", "baccarat.view_round", "baccarat.view_wager", "operators.view_player"
    )
    day = days.today([evening.operator]).isoformat()
    query = {"money": "sandbox-EUR", "day": day}
    with CaptureQueriesContext(connection) as captured:
        page = text(client, f"{reverse('admin:desk_day')}?{urlencode(query)}")
    assert len(captured) < 40
    for part in (
        "By table",
        "Players who won most",
        "Players who lost most",
        ">A table</a>",
        "All rounds of this time",
    ):
        assert part in page
    (revenue,) = {row[0] for row in fetch(
        "SELECT sum(amount)::bigint FROM wallet_posting JOIN wallet_account ON account_id = id "
        "WHERE operator_id = %s AND money_type = 'real' AND kind IN ('bank', 'commission', 'rack')", [evening.operator]
    )}  # fmt: skip
    amount = f"{revenue / 100:.2f}".replace("-", "\N{MINUS SIGN}")
    assert f"{amount} <small>EUR" in page
    search = re.search(r'href="([^"]*)">Rounds</a>', page)
    assert search is not None
    found = text(client, unescape(search[1]))
    assert found.count("No. 1</a>") == 1


def test_a_day_with_reports_is_read_from_them_and_shows_the_same(evening: Evening) -> None:
    client, day = of_us(evening, VIEW, "baccarat.view_table", "operators.view_player"), days.today([evening.operator])
    url = f"{reverse('admin:desk_day')}?{urlencode({'money': 'sandbox-EUR', 'day': day.isoformat()})}"
    live = text(client, url)
    interval = period_interval(ReportPeriod.DAY, day=day, zone="UTC")
    made = [
        generation.generate_report(operator=evening.operator, name=name, interval=interval, by="system")
        for name in ("revenue", "performance", "players", "hours")
    ]
    assert "Reports generated at" not in text(client, url), "the day is not over"
    for early in made:
        early.pk, early.version, early.generated_at = uuid4(), early.version + 1, early.until
        early.save(force_insert=True)
    with CaptureQueriesContext(connection) as captured:
        page = text(client, url)
    assert not any("wallet_entry" in query["sql"] for query in captured)
    assert "Reports generated at" in page
    assert figures_of(page) == figures_of(live)


def figures_of(page: str) -> str:
    """Return the tables of a day's page, from the first one on."""
    return page[page.index("By table") : page.rindex("</table>")]


def test_the_first_page_says_when_there_was_no_play(evening: Evening) -> None:
    empty = Operator.objects.create(id=uuid4(), slug="empty", name="Empty", currencies=["EUR"])
    assert "No play in this period" in front(staff(VIEW, works_for=empty.slug))


def test_a_page_shows_key_columns_first_and_links_names(evening: Evening) -> None:
    newest, table = report(evening), page_of("baccarat_table", evening.tables[0])
    grid = ReportLayout.of(document.read(bytes(newest.content)))
    assert grid.titles[:6] == ["Money", "Currency", "Table", "GGR", "Handle", "Rounds"]
    assert "Name" not in grid.titles
    assert rows_grid("Rows", document.read(bytes(newest.content)), [], empty="", note="").frozen == 3
    page = text(of_us(evening, VIEW, "baccarat.view_table"), page_of("reports_report", newest.pk))
    assert f'<a class="c-link" href="{table.rsplit("/", 3)[0]}/' in page
    assert ">A table</a>" in page
    User.objects.all().delete()
    assert ">A table</a>" not in text(of_us(evening, VIEW), page_of("reports_report", newest.pk))
    players = generation.generate_report(
        operator=evening.operator,
        name="players",
        interval=lifetime_interval(until=timezone.now(), zone="UTC"),
        by="system",
    )
    User.objects.all().delete()
    page = text(of_us(evening, VIEW, "operators.view_player"), page_of("reports_report", players.pk))
    assert reverse("admin:operators_player_changelist") in page


def test_a_form_with_a_wrong_date_keeps_all_fields(evening: Evening) -> None:
    client, url = of_us(evening, VIEW, MAKE), reverse("admin:reports_report_create")
    ours = Operator.objects.get(id=evening.operator).slug
    page = client.post(
        url, {"operator": ours, "name": "voids", "period": "month", "date": "22.11.2026"}
    ).content.decode()
    for kept in ('value="voids" selected', 'value="month" selected', 'value="22.11.2026"', 'type="date"'):
        assert kept in page
