"""`manage.py audit`: replay and check everything, and print the verdict in the last line."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from baccarat.audit import engine, last_head, parallel
from baccarat.audit.report import AuditReport
from casino.checkpoints.audit import latest_trusted
from casino.checkpoints.document import CheckpointDocument
from casino.events.verification import Head, current_head
from casino.kernel.findings import Finding


class Command(BaseCommand):
    help = "Check the log, every round, the ledger and every read model; exit 1 on any finding."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = engine.INCREMENTAL_SCOPE
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument("--since", type=int, default=0, metavar="POSITION", help="check what was sealed after it")
        parser.add_argument(
            "--since-checkpoint",
            action="store_true",
            help="check what came after the newest good checkpoint that a sound audit has covered",
        )
        parser.add_argument(
            "--oldest", type=float, default=engine.MAX_WAIT_SECONDS, help="seconds that anything may wait (60)"
        )
        parser.add_argument(
            "--jobs",
            type=int,
            default=1,
            help=f"processes that share a full audit from {parallel.MIN_EVENTS_FOR_PROCESSES} events on (1). "
            "One and PostgreSQL keep two cores busy: ask for more where four or more are free",
        )
        parser.add_argument("--head-file", type=Path, help="where the last head of the log is kept")

    def handle(self, *_args: Any, since: int, oldest: float, head_file: Path | None, **options: Any) -> None:
        file = head_file or last_head.default_path()
        try:
            expected = last_head.load_head(file)
        except last_head.UnreadableHead as error:
            raise CommandError(f"{error}. Remove it to begin a new record of heads.") from error
        checkpoint = self._checkpoint(expected) if options["since_checkpoint"] else None
        options_of_run = {"since": since, "checkpoint": checkpoint, "expected": expected, "max_wait": oldest}
        report = _audit(self._jobs(int(options["jobs"])), quiet=bool(options["json"]), **options_of_run)
        if report.ok:
            self._keep(file, report)
        if options["json"]:
            self.stdout.write(json.dumps(report.document(), indent=2))
        else:
            self._print(report, no_color=bool(options["no_color"]))
        if not report.ok:
            sys.exit(1)

    def _checkpoint(self, sound: Head | None) -> CheckpointDocument | None:
        """Return the newest trusted checkpoint covered by the last sound audit, None without one."""
        trusted = None if sound is None else latest_trusted(upto=sound.position)
        said = "in full: no good checkpoint is covered by a sound audit"
        if trusted is not None:
            said = f"since checkpoint {trusted.number}, position {trusted.position}"
        self.stderr.write(f"Auditing {said}.")
        return trusted

    def _jobs(self, jobs: int) -> int:
        """Return one process for small logs, where starting more would take longer than they save."""
        if jobs > 1 and current_head().position < parallel.MIN_EVENTS_FOR_PROCESSES:
            self.stderr.write(
                "Auditing by one process: more are worth their start from "
                f"{parallel.MIN_EVENTS_FOR_PROCESSES} events on."
            )
            return 1
        return jobs

    def _keep(self, file: Path, report: AuditReport) -> None:
        """Save the head of the log. A failure to write is reported and does not change the verdict."""
        try:
            last_head.save_head(file, position=report.head[0], digest=report.head[1])
        except OSError as error:
            self.stderr.write(f"The head of the log could not be kept ({error}); choose a place with --head-file.")

    def _print(self, report: AuditReport, *, no_color: bool) -> None:
        if report.findings:
            screen = Console(file=cast("IO[str]", self.stdout), no_color=no_color, highlight=False, markup=False)
            screen.print(findings_table(report.findings))
        self.stdout.write(report.summary_line())


def _audit(jobs: int, *, quiet: bool, **options: Any) -> AuditReport:
    """Run the audit. Findings and their order do not depend on the number of processes, which start before the bar's
    thread.
    """
    if jobs <= 1:
        with _progress(quiet=quiet) as progress:
            return engine.run_audit(progress=progress, **options)
    with parallel.start_processes(jobs) as pool, _progress(quiet=quiet) as progress:
        return engine.run_audit(jobs=jobs, pool=pool, progress=progress, **options)


def findings_table(findings: tuple[Finding, ...]) -> Table:
    """Return a table of findings: what, where, expected, actual."""
    table = Table("what", "where", "expected", "found", title="Findings", title_justify="left", show_lines=True)
    for column in table.columns:
        column.overflow = "fold"
    for each in findings:
        table.add_row(each.kind, each.location, each.expected, each.actual)
    return table


@contextmanager
def _progress(*, quiet: bool) -> Generator[Callable[[int, int], object] | None]:
    """Show a progress bar on a terminal, nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("audit"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("audit")
        yield lambda done, total: bar.update(task, completed=done, total=total)
