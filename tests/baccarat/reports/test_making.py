"""Reports are made of what is sealed, kept with a version and a hash, and looked after."""

import json
from collections.abc import Callable, Generator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import psycopg
import pytest
from django.core.management import CommandError
from django.db import DatabaseError, transaction
from pytest_django import DjangoDbBlocker

from baccarat.reports.revenue import REVENUE
from casino.compliance import cases
from casino.compliance.models import Case
from casino.compliance.refusals import CaseAlreadyResolved, ResolutionMissing, UnknownCase
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.operators.models import Operator
from casino.reports import definition, document, generation, schedule
from casino.reports.definition import report_definitions
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.refusals import IntervalNotBegun, UnknownFormat, UnknownOperatorReport
from casino.reports.renderers import format_names, render_report
from tests.baccarat.reports.history import Evening, begin
from tests.conftest import Database
from tests.services import Services
from tests.support.commands import printed_by
from tests.support.house import deal_all, fresh_database

NAMES = (
    "performance", "revenue", "brands", "players", "hours", "liability", "accounts", "adjustments", "voids",
    "significant_events", "wager_reconciliation",
)  # fmt: skip


@pytest.fixture(scope="module")
def module_database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Share one database among all tests."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


@pytest.fixture(scope="module")
def evening(module_database: Database) -> Evening:
    """Play and seal a little of everything."""
    played = begin(4, sandbox=False)
    played.part(8)
    return played


def all_of(evening: Evening) -> Interval:
    return between(since=evening.cuts[0], until=evening.cuts[-1] + timedelta(days=1), zone="UTC")


def make(evening: Evening, name: str, interval: Interval | None = None) -> Report:
    return generation.generate_report(
        operator=evening.operator, name=name, interval=interval or all_of(evening), by="operator:test"
    )


def bet_more(evening: Evening) -> None:
    """Play one more wager, sealed or not."""
    at = evening.house.seated(evening.house.table("mini"))
    at.deal({"tie": 500})
    deal_all()


def test_there_is_every_report_that_is_asked_for() -> None:
    assert sorted(report_definitions()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_made_once_and_again_only_when_there_is_more_to_say(evening: Evening, name: str) -> None:
    interval = between(since=evening.cuts[0], until=evening.cuts[-1] + timedelta(days=4), zone="UTC")
    first = make(evening, name, interval)
    assert make(evening, name, interval).pk == first.pk
    assert first.version == 1
    assert document.sha256(bytes(first.content)) == first.sha256
    told = document.read(bytes(first.content))
    assert told["operator"]["name"] == "Lucky"
    assert generation.recompute_facts_digest(first) == first.facts_digest


def test_more_facts_make_a_new_version_beside_the_old_one(evening: Evening) -> None:
    interval = between(since=evening.cuts[0], until=evening.cuts[-1] + timedelta(days=2), zone="UTC")
    first = make(evening, "revenue", interval)
    bet_more(evening)
    assert make(evening, "revenue", interval).pk == first.pk, "what is not sealed is no fact yet"
    sealer.seal_all()
    second = make(evening, "revenue", interval)
    assert (second.version, second.position > first.position) == (2, True)
    assert [each.version for each in generation.versions(second)] == [2, 1]
    assert generation.recompute_facts_digest(first) == first.facts_digest, (
        "the old one is what it was, read as of its own position"
    )


def test_a_report_of_money_that_is_no_test_never_says_sandbox(evening: Evening) -> None:
    told = document.read(bytes(make(evening, "liability").content))
    assert {row[0] for row in told["rows"]} == {"real", "play"}


def test_an_operator_without_any_play_has_reports_that_say_so(module_database: Database) -> None:
    other = begin(5)
    nothing = period_interval(ReportPeriod.DAY, day=date(2020, 1, 1), zone="UTC")
    report = generation.generate_report(operator=other.operator, name="revenue", interval=nothing, by="system")
    told = document.read(bytes(report.content))
    assert (told["has_activity"], told["rows"], told["totals"], report.figures) == (False, [], [], [])
    assert render_report(report, "csv").content.decode().rstrip().endswith("No activity")


def test_money_of_a_test_operators_is_called_so(module_database: Database) -> None:
    other = begin(6)
    report = generation.generate_report(
        operator=other.operator,
        name="liability",
        interval=lifetime_interval(until=datetime.now(UTC), zone="UTC"),
        by="system",
    )
    assert {row[0] for row in document.read(bytes(report.content))["rows"]} == {"sandbox", "play"}


def test_reports_are_never_changed_or_removed_by_anyone(evening: Evening, module_database: Database) -> None:
    report = make(evening, "voids")
    with pytest.raises(DatabaseError), transaction.atomic():
        execute("UPDATE reports_report SET sha256 = '' WHERE id = %s", [report.pk])
    with module_database.owner() as owner:
        for statement in ("DELETE FROM reports_report", "TRUNCATE reports_report CASCADE"):
            with pytest.raises(psycopg.errors.RestrictViolation):
                owner.execute(statement)


def test_many_at_once_make_one_version(evening: Evening, in_threads: Callable[..., list[Any]]) -> None:
    interval = between(since=evening.cuts[0], until=evening.cuts[-1] + timedelta(days=3), zone="UTC")
    made = in_threads(6, lambda _: make(evening, "performance", interval).pk)
    assert len(set(made)) == 1
    assert Report.objects.filter(until=interval.until).count() == 1


def test_what_is_wrong_has_a_code_of_its_own(evening: Evening) -> None:
    with pytest.raises(UnknownOperatorReport):
        make(evening, "nonsense")
    with pytest.raises(UnknownOperatorReport):
        generation.generate_report(operator=UUID(int=5), name="revenue", interval=all_of(evening), by="system")
    with pytest.raises(IntervalNotBegun):
        make(evening, "revenue", period_interval(ReportPeriod.DAY, day=date(2099, 1, 1), zone="UTC"))
    with pytest.raises(UnknownFormat):
        render_report(make(evening, "revenue"), "xls")
    with pytest.raises(UnknownOperatorReport):
        generation.find_report(operator=UUID(int=5), report=make(evening, "revenue").pk)


@pytest.mark.parametrize("name", format_names())
def test_a_report_is_had_in_every_form(evening: Evening, name: str) -> None:
    report = make(evening, "accounts")
    file = render_report(report, name)
    slug = Operator.objects.get(pk=evening.operator).slug
    span = f"{report.since:%Y-%m-%dT%H%M%S}-{report.until:%Y-%m-%dT%H%M%S}"
    assert file.name == f"{slug}-accounts-interval-{span}-v{report.version}-so-far.{name}"
    assert file.content
    if name == "json":
        assert document.sha256(file.content) == report.sha256


def test_days_months_and_years_that_are_over_are_made_once_however_late(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definition, "_definitions", {REVENUE.name: REVENUE})
    try:
        fetch("SELECT 1")
        execute("UPDATE operators_operator SET created_at = clock_timestamp() - interval '800 days', time_zone = %s", [
            "Europe/Vienna"
        ])  # fmt: skip
        waiting = schedule.list_due_reports(limit=10_000)
        assert {each.period for each in waiting} == {ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR}
        yesterday = max(each.day for each in waiting)
        assert yesterday < datetime.now(UTC).date()
        assert schedule.generate_due_reports(limit=3) == 3
        assert schedule.generate_due_reports(limit=2) == 2
        assert len(schedule.list_due_reports(limit=10_000)) == len(waiting) - 5

        havana = ZoneInfo("America/Havana")
        execute("UPDATE operators_operator SET time_zone = %s", [havana.key])
        twice = next(each for each in schedule.list_due_reports(limit=10_000) if _comes_twice(each.day, havana))
        assert twice.period is ReportPeriod.DAY
        interval = period_interval(twice.period, day=twice.day, zone=twice.zone)
        generation.generate_report(operator=twice.operator, name=twice.name, interval=interval, by="system")
        assert twice not in schedule.list_due_reports(limit=10_000)
    finally:
        execute("UPDATE operators_operator SET created_at = clock_timestamp(), time_zone = 'UTC'")


def test_a_report_made_while_its_day_went_on_is_made_again_when_it_is_over(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definition, "_definitions", {REVENUE.name: REVENUE})
    execute("UPDATE operators_operator SET created_at = clock_timestamp() - interval '3 days'")
    try:
        waiting = [each for each in schedule.list_due_reports(limit=100) if each.period is ReportPeriod.DAY]
        due = waiting[0]
        interval = period_interval(due.period, day=due.day, zone=due.zone)
        arguments = {"operator": due.operator, "name": due.name, "interval": interval}
        with monkeypatch.context() as early:
            noon = interval.since + timedelta(hours=12)
            early.setattr(generation, "_HEAD", generation._HEAD.replace("clock_timestamp()", f"timestamptz '{noon}'"))
            first = generation.generate_report(**arguments, by="operator:test")
            assert first.generated_at == noon
            assert generation.generate_report(**arguments, by="operator:test") == first
        assert due in schedule.list_due_reports(limit=100)
        final = generation.generate_report(**arguments, by="system")
        assert (final.version, final.facts_digest) == (2, first.facts_digest)
        assert due not in schedule.list_due_reports(limit=100)
        assert generation.generate_report(**arguments, by="system") == final
    finally:
        execute("UPDATE operators_operator SET created_at = clock_timestamp()")


def _comes_twice(day: date, zone: ZoneInfo) -> bool:
    """Return whether clocks go back at one o'clock to a second midnight on this day."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    return midnight.utcoffset() != midnight.replace(fold=1).utcoffset()


def test_a_new_operator_has_nothing_due(evening: Evening) -> None:
    assert [each for each in schedule.list_due_reports(limit=100) if each.operator == evening.operator] == []


def test_a_report_that_cannot_be_made_holds_up_no_other(
    evening: Evening, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    day = date(2026, 1, 1)
    both = [
        schedule.DueReport(evening.operator, "UTC", name, ReportPeriod.DAY, day) for name in ("nonsense", "revenue")
    ]
    monkeypatch.setattr(schedule, "list_due_reports", lambda *, limit: both[:limit])
    assert schedule.generate_due_reports() == 1
    assert "nonsense" in caplog.text


def test_a_matter_has_an_owner_and_one_end(evening: Evening) -> None:
    with transaction.atomic():
        matter = cases.open_case(
            operator=evening.operator, kind="wager_reconciliation", subject="table:x", details={"difference": 1}
        )
        assert matter is not None
        assert (
            cases.open_case(operator=evening.operator, kind="wager_reconciliation", subject="table:x", details={})
            is None
        )
    whose = {"operator": evening.operator}
    cases.assign_case(matter, **whose, owner="staff:7", by="staff:1")
    with pytest.raises(ResolutionMissing):
        cases.resolve_case(matter, **whose, resolution=" ", by="staff:7")
    with pytest.raises(UnknownCase):
        cases.assign_case(matter, operator=UUID(int=5), owner="staff:7", by="staff:1")
    cases.resolve_case(matter, **whose, resolution="A clerk's error.", by="staff:8")
    with pytest.raises(CaseAlreadyResolved):
        cases.resolve_case(matter, **whose, resolution="Again.", by="staff:8")
    standing = cases.with_latest_action(Case.objects.all()).get(pk=matter)
    assert (standing.action, standing.owner, standing.resolution) == ("resolved", "staff:7", "A clerk's error.")
    assert cases.latest_resolutions(operator=evening.operator, subjects=["table:x"]) == {"table:x": "A clerk's error."}
    with transaction.atomic():
        assert (
            cases.open_case(operator=evening.operator, kind="wager_reconciliation", subject="table:x", details={})
            is not None
        )


def test_wagers_that_the_ledger_does_not_know_are_a_finding_with_a_reason_to_be_given(
    services: Services, django_db_blocker: DjangoDbBlocker
) -> None:
    with fresh_database(services, django_db_blocker) as database:
        evening = begin(8)
        bet_more(evening)
        evening.cut()
        with database.owner() as owner:
            owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
            owner.execute(
                "UPDATE events_event SET data = jsonb_set(data::jsonb, '{stakes,tie}', '700') "
                "WHERE type = 'WagerConfirmed'"
            )
        report = make(evening, "wager_reconciliation")
        told = document.read(bytes(report.content))
        assert [row[-2] for row in told["rows"]] == ["4.00"], "two euros too many, which then do not roll forward"
        matter = Case.objects.get()
        assert matter.details["staked_ledger"] == "5.00"
        significant = fetch("SELECT kind, subject, after::text FROM significant_significantevent ORDER BY id")
        assert [row[0] for row in significant] == ["player_edge", "audit_finding"], "the evening's table has an edge"
        assert json.loads(significant[-1][2])["staked"] == "7.00"
        make(evening, "wager_reconciliation")
        assert Case.objects.count() == 1
        cases.resolve_case(matter.pk, operator=evening.operator, resolution="Tampered with.", by="staff:8")
        again = make(evening, "wager_reconciliation")
        assert again.version == 2
        assert document.read(bytes(again.content))["rows"][0][-1] == "Tampered with."


def command(*words: str) -> str:
    """Return what `manage.py report` prints."""
    return printed_by("report", *words).decode("utf-8-sig")


def test_the_command_makes_a_report_in_any_form(evening: Evening, tmp_path: Path) -> None:
    whose = ["--operator", Operator.objects.get(id=evening.operator).slug]
    printed = command("revenue", *whose, "--period", "lifetime")
    assert printed.startswith("Operator,Lucky")
    assert "total" not in printed.splitlines()[0]
    assert command("liability", *whose, "--date", "2026-01-01").rstrip().endswith("No activity")
    file = tmp_path / "accounts.pdf"
    since, until = (cut.isoformat() for cut in (evening.cuts[0], evening.cuts[-1]))
    told = command("accounts", *whose, "--from", since, "--to", until, "--format", "pdf", "--output", str(file))
    assert document.sha256(file.read_bytes()) in told
    for wrong in (
        ["revenue"],
        ["revenue", *whose],
        ["nonsense", *whose, "--period", "lifetime"],
        ["revenue", "--operator"],
    ):
        with pytest.raises(CommandError):
            command(*wrong)


def test_a_version_that_was_tampered_with_is_found(services: Services, django_db_blocker: DjangoDbBlocker) -> None:
    with fresh_database(services, django_db_blocker) as database:
        evening = begin(9)
        make(evening, "liability")
        make(evening, "accounts")
        assert "ok checked=2" in command("--check")
        with database.owner() as owner:
            owner.execute("ALTER TABLE reports_report DISABLE TRIGGER USER")
            owner.execute("UPDATE reports_report SET content = content || ' ' WHERE name = 'accounts'")
            owner.execute("UPDATE reports_report SET facts_digest = 'other' WHERE name = 'liability'")
        with pytest.raises(SystemExit):
            command("--check")
        told = {row.name: generation.find_mismatch(row) for row in Report.objects.all()}
        assert told == {
            "accounts": "its content does not have the stored hash",
            "liability": "the sealed events give other contents",
        }
