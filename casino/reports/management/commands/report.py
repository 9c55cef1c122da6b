"""`manage.py report`: makes a report of any interval, prints it or writes it to a file, and checks kept versions."""

import sys
from argparse import ArgumentParser
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from casino.kernel.errors import Refusal
from casino.operators.models import Operator
from casino.reports import document, generation, registry
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.renderers import base

COMMAND_ACTOR = "system:command"


class Command(BaseCommand):
    help = "Make a report of an operator's, or with --check read every version kept anew; exit 1 if one differs."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be chosen."""
        parser.add_argument("name", nargs="?", help=f"one of {', '.join(registry.report_definitions())}")
        parser.add_argument("--operator", metavar="SLUG")
        parser.add_argument(
            "--period", choices=[period.value for period in ReportPeriod if period is not ReportPeriod.INTERVAL]
        )
        parser.add_argument("--date", type=date.fromisoformat, metavar="YYYY-MM-DD", help="a day in the period")
        parser.add_argument("--from", dest="since", type=_moment, metavar="TIME", help="UTC where no offset is given")
        parser.add_argument("--to", dest="until", type=_moment, metavar="TIME", help="not included")
        parser.add_argument("--format", default="csv", help=f"one of {', '.join(base.format_names())}")
        parser.add_argument("--output", type=Path, metavar="FILE", help="standard output when left out")
        parser.add_argument("--check", action="store_true", help="compare versions kept with what is sealed")

    def handle(self, *_args: Any, name: str | None, operator: str | None, check: bool, **options: Any) -> None:
        """Make one report, or check all."""
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
            self._write(base.render_report(report, options["format"]), options["output"])
        except Refusal as refusal:
            raise CommandError(refusal.message()) from None

    def _write(self, file: base.RenderedReport, output: Path | None) -> None:
        if output is not None:
            output.write_bytes(file.content)
            self.stdout.write(f"{output}: {len(file.content)} bytes, sha256 {document.sha256(file.content)}")
        elif file.media_type.startswith(("text/", "application/json")):
            self.stdout.write(file.content.decode())
        else:
            raise CommandError("Such a file needs an --output.")

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
            trouble = generation.find_mismatch(report)
            wrong += bool(trouble)
            if trouble:
                self.stdout.write(f"  {report} ({report.pk}): {trouble}")
        self.stdout.write(f"reports: {'ok' if not wrong else 'WRONG'} checked={checked} wrong={wrong}")
        if wrong:
            sys.exit(1)


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _interval(
    zone: str, *, period: str | None, date: date | None, since: datetime | None, until: datetime | None, **_: Any
) -> Interval:
    if since is not None or until is not None:
        if since is None or until is None:
            raise CommandError("An interval has both --from and --to.")
        return between(since=since, until=until, zone=zone)
    if period == ReportPeriod.LIFE:
        return lifetime_interval(until=timezone.now(), zone=zone)
    if date is None:
        raise CommandError("Give a --date with a --period, --from and --to, or --period life.")
    return period_interval(ReportPeriod(period or ReportPeriod.DAY), day=date, zone=zone)
