"""`manage.py report`: creates a report, prints it or writes it to a file, and verifies stored versions."""

import sys
from argparse import ArgumentParser
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from casino.reports import document, generation
from casino.reports.definition import report_definitions
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.renderers import RenderedReport, format_names, render_report

COMMAND_ACTOR = "system:command"


class Command(BaseCommand):
    help = "Create an operator's report. With --check, verify the stored versions; exit 1 if one differs."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:

        parser.add_argument("name", nargs="?", help=f"one of {', '.join(report_definitions())}")
        parser.add_argument("--operator", metavar="SLUG")
        parser.add_argument(
            "--period", choices=[period.value for period in ReportPeriod if period is not ReportPeriod.INTERVAL]
        )
        parser.add_argument("--date", type=date.fromisoformat, metavar="YYYY-MM-DD", help="a day in the period")
        parser.add_argument(
            "--from", dest="since", type=_parse_time, metavar="TIME", help="UTC unless it has an offset"
        )
        parser.add_argument("--to", dest="until", type=_parse_time, metavar="TIME", help="not included")
        parser.add_argument("--format", default="csv", help=f"one of {', '.join(format_names())}")
        parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
        parser.add_argument("--check", action="store_true", help="compare stored versions with the sealed events")

    def handle(self, *_args: Any, name: str | None, operator: str | None, check: bool, **options: Any) -> None:

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
            report = generation.generate_report(operator=owner.id, name=name, interval=interval, by=COMMAND_ACTOR)
            self._write(render_report(report, options["format"]), options["output"])
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None

    def _write(self, file: RenderedReport, output: Path | None) -> None:
        if output is not None:
            output.write_bytes(file.content)
            self.stdout.write(f"{output}: {len(file.content)} bytes, sha256 {document.sha256(file.content)}")
        elif file.media_type.startswith(("text/", "application/json")):
            self.stdout.write(file.content.decode())
        else:
            raise CommandError("A binary format needs an --output.")

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
    if date is None:
        raise CommandError("Use --date with --period, --from with --to, or --period lifetime.")
    return period_interval(ReportPeriod(period or ReportPeriod.DAY), day=date, zone=zone)
