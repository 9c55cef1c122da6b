"""`manage.py report`: creates a report or takes the kept one, prints or writes its file; verifies stored versions."""

import sys
from argparse import ArgumentParser
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import F
from django.utils import timezone

from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from casino.reports import document, generation
from casino.reports.definition import find_definition, report_definitions
from casino.reports.intervals import Interval, ReportPeriod, between, last_interval, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.renderers import RenderedReport, format_names, render_report

COMMAND_ACTOR = "system:command"
NONE_KEPT = 3
"""The exit code of `--kept` where there is no such report yet."""


class Command(BaseCommand):
    help = (
        "Create an operator's report, or with --kept take the newest version of a period that is over, and print it; "
        f"exit {NONE_KEPT} if there is none. With --check, verify the stored versions; exit 1 if one differs."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:

        parser.add_argument("name", nargs="?", help=f"one of {', '.join(report_definitions())}")
        parser.add_argument("--operator", metavar="SLUG")
        parser.add_argument(
            "--period", choices=[period.value for period in ReportPeriod if period is not ReportPeriod.INTERVAL]
        )
        parser.add_argument(
            "--date",
            type=date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="a day in it; default: the last period that is over",
        )
        parser.add_argument(
            "--from", dest="since", type=_parse_time, metavar="TIME", help="UTC unless it has an offset"
        )
        parser.add_argument("--to", dest="until", type=_parse_time, metavar="TIME", help="not included")
        parser.add_argument("--format", default="csv", help=f"one of {', '.join(format_names())}")
        parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
        parser.add_argument("--kept", action="store_true", help="create no version")
        parser.add_argument("--check", action="store_true", help="compare stored versions with the sealed events")

    def handle(
        self, *_args: Any, name: str | None, operator: str | None, check: bool, kept: bool, **options: Any
    ) -> None:

        if check:
            self._check(name, operator)
            return
        if name is None or operator is None:
            raise CommandError("Name a report and an --operator.")
        try:
            owner = Operator.objects.get(slug=operator)
        except Operator.DoesNotExist:
            raise CommandError(f"There is no operator {operator!r}.") from None
        try:
            interval = _interval(owner.time_zone, **options)
            if kept:
                report = _find_kept(owner, name, interval)
            else:
                report = generation.generate_report(operator=owner.id, name=name, interval=interval, by=COMMAND_ACTOR)
            self._write(render_report(report, options["format"]), options["output"])
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None

    def _write(self, file: RenderedReport, output: Path | None) -> None:
        if output is not None:
            output.write_bytes(file.content)
            self.stdout.write(f"{output}: {len(file.content)} bytes, sha256 {document.sha256(file.content)}")
        elif sys.stdout.isatty() and not file.media_type.startswith(("text/", "application/json")):
            raise CommandError("A binary format needs a pipe or an --output.")
        else:
            sys.stdout.buffer.write(file.content)  # exactly the file: `self.stdout` would end it with a new line
            sys.stdout.flush()

    def _check(self, name: str | None, operator: str | None) -> None:
        reports = Report.objects.order_by("id")
        if name is not None:
            reports = reports.filter(name=name)
        if operator is not None:
            owners = Operator.objects.filter(slug=operator).values("id")
            reports = reports.filter(operator_id__in=owners)
        wrong = checked = 0
        for report in reports.iterator(chunk_size=50):
            checked += 1
            mismatch = generation.find_mismatch(report)
            wrong += bool(mismatch)
            if mismatch:
                self.stdout.write(f"  {report} ({report.pk}): {mismatch}")
        self.stdout.write(f"reports: {'ok' if not wrong else 'WRONG'} checked={checked} wrong={wrong}")
        if wrong:
            sys.exit(1)


def _parse_time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _interval(
    zone: str, *, period: str | None, date: date | None, since: datetime | None, until: datetime | None, **_: Any
) -> Interval:
    if since is not None or until is not None:
        if since is None or until is None:
            raise CommandError("An interval has both --from and --to.")
        return between(since=since, until=until, zone=zone)
    if period == ReportPeriod.LIFETIME:
        return lifetime_interval(until=timezone.now(), zone=zone)
    if period is None and date is None:
        raise CommandError("Use --period, --date, or --from with --to.")
    chosen = ReportPeriod(period or ReportPeriod.DAY)
    if date is None:
        return last_interval(chosen, now=timezone.now(), zone=zone)
    return period_interval(chosen, day=date, zone=zone)


def _find_kept(operator: Operator, name: str, interval: Interval) -> Report:
    """Return the newest version that was made after its period. Raises UnknownOperatorReport."""
    definition = find_definition(name)
    if interval.period is ReportPeriod.LIFETIME:
        raise CommandError("A lifetime is never over: use a day, month or year with --kept.")
    kept = Report.objects.filter(
        operator_id=operator.pk,
        name=name,
        period=interval.period.value,
        since=interval.since,
        until=interval.until,
        generated_at__gte=F("until"),
    )
    report = kept.order_by("-version").first()
    if report is None:
        message = f"No report {definition.name!r} of {operator.slug!r} of {interval.label} is kept yet."
        raise CommandError(message, returncode=NONE_KEPT)
    return report
