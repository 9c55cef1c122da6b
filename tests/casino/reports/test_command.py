"""`manage.py report --kept` pipes the bytes of a kept version, and says when there is none."""

from typing import Any

import pytest
from django.core.management import CommandError
from django.utils import timezone

from casino.operators import services
from casino.reports import document, generation
from casino.reports.intervals import Interval, ReportPeriod, last_interval, period_interval
from casino.reports.models import Report
from casino.reports.renderers import format_names, render_report
from tests.support.commands import printed_by

WORDS = ("report", "liability", "--operator", "lucky", "--kept")
NOW = timezone.now()
YESTERDAY = last_interval(ReportPeriod.DAY, now=NOW, zone="Pacific/Auckland")


@pytest.fixture(autouse=True)
def operator(db: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make an operator of New Zealand, for whom it stays the same day while a test runs."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    return services.create_operator(
        slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False, time_zone="Pacific/Auckland"
    )


def make(operator: Any, interval: Interval) -> Report:
    return generation.generate_report(operator=operator.id, name="liability", interval=interval, by="system")


def missing(*words: str) -> str:
    with pytest.raises(CommandError) as refused:
        printed_by(*WORDS, *words)
    assert refused.value.returncode == 3
    return str(refused.value)


def test_the_version_of_the_last_day_is_piped_byte_for_byte(operator: Any) -> None:
    assert missing("--period", "day") == f"No report 'liability' of 'lucky' of {YESTERDAY.label} is kept yet."
    assert Report.objects.count() == 0, "it creates none"

    report = make(operator, YESTERDAY)
    assert document.sha256(printed_by(*WORDS, "--period", "day", "--format", "json")) == report.sha256
    for file_format in format_names():
        printed = printed_by(*WORDS, "--date", YESTERDAY.label, "--format", file_format)
        assert printed == render_report(report, file_format).content


def test_a_version_made_within_its_period_is_not_piped(operator: Any) -> None:
    make(operator, period_interval(ReportPeriod.YEAR, day=NOW.date(), zone="Pacific/Auckland"))
    missing("--period", "year", "--date", NOW.date().isoformat())


@pytest.mark.parametrize(
    "words",
    [[], ["--period", "lifetime"], ["--period", "day", "--format", "xls"], ["--period", "day", "--from", "2026"]],
)
def test_what_makes_no_sense_is_no_missing_report(operator: Any, words: list[str]) -> None:
    make(operator, YESTERDAY)
    with pytest.raises(CommandError) as refused:
        printed_by(*WORDS, *words)
    assert refused.value.returncode == 1
