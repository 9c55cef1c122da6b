"""`manage.py audit`: replay and check everything, and print the verdict in the last line."""

import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Final, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from baccarat.audit import engine, nightly, parallel
from baccarat.audit.report import AuditReport, UnreadableHead, default_path, load_head, save_head
from baccarat.proofs import judge
from casino.checkpoints.audit import latest_trusted
from casino.checkpoints.records import SignedCheckpoint
from casino.events.verification import Head, current_head
from casino.kernel.findings import Finding

NOT_MADE: Final = 2
"""The exit status if nothing was audited: no database, wrong arguments, an unreadable head."""


class Command(BaseCommand):
    help = (
        "Check the log, every round, the ledger and every read model. "
        "Exit 0 if there is no finding, 1 if there is, 2 if the audit could not be made."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = engine.INCREMENTAL_SCOPE
        parser.add_argument(
            "--nightly", action="store_true", help="run the audits of a night, as worker-background does"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument("--since", type=int, default=0, metavar="POSITION", help="check what was sealed after it")
        parser.add_argument(
            "--since-checkpoint",
            action="store_true",
            help="check what came after the newest trusted checkpoint that a clean audit has covered",
        )
        parser.add_argument(
            "--verify",
            action="store_true",
            help="also have the published verifier recompute all rounds, after --since if given, up to the newest "
            "checkpoint, and compare the ledger with its amounts",
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
        parser.add_argument("--head-file", type=Path, help="file with the last head of the log")

    def handle(self, *_args: Any, since: int, oldest: float, head_file: Path | None, **options: Any) -> None:
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # findings quote anything
        try:
            self._run(since, oldest, head_file, options)
        except CommandError:
            raise
        except Exception as error:
            raise CommandError(f"The audit could not be made: {error!r}", returncode=NOT_MADE) from error

    def _run(self, since: int, oldest: float, head_file: Path | None, options: dict[str, Any]) -> None:
        if options["nightly"]:
            self._nightly()
            return
        file = head_file or default_path()
        try:
            expected = load_head(file)
        except UnreadableHead as error:
            raise CommandError(f"{error}. Remove it to begin a new record of heads.", returncode=NOT_MADE) from error
        checkpoint = self._checkpoint(expected) if options["since_checkpoint"] else None
        options_of_run = {
            "since": since, "checkpoint": checkpoint, "expected": expected, "max_wait": oldest, "with_schema": True
        }  # fmt: skip
        report = _audit(self._jobs(int(options["jobs"])), quiet=bool(options["json"]), **options_of_run)
        if report.ok:
            self._save_head(file, report)
        judged = self._judge(since, int(options["jobs"])) if options["verify"] else None
        if options["json"]:
            document = report.document() | ({} if judged is None else {"verified": judged.document()})
            self.stdout.write(json.dumps(document, indent=2))
        else:
            for each in filter(None, (report, judged)):
                self._print(each, no_color=bool(options["no_color"]))
        if not (report.ok and (judged is None or judged.ok)):
            sys.exit(1)

    def _judge(self, since: int, jobs: int) -> AuditReport:
        """Have all rounds up to the newest trusted checkpoint judged by the verifier."""
        checkpoint = latest_trusted(upto=current_head().position)
        if checkpoint is None:
            raise CommandError("No trusted checkpoint covers a round.", returncode=NOT_MADE)
        with parallel.start_processes(jobs) as pool:
            return judge.audit_all(checkpoint, since=since, pool=pool)

    def _nightly(self) -> None:
        night = nightly.run(judge.audit_sample)
        for kind, report in night.reports:
            self.stdout.write(f"{kind}:")
            self._print(report, no_color=True)
        if not night.ok:
            sys.exit(1)

    def _checkpoint(self, last: Head | None) -> SignedCheckpoint | None:
        """Return the newest trusted checkpoint covered by the last clean audit, None without one."""
        checkpoint = None if last is None else latest_trusted(upto=last.position)
        extent = "in full: no trusted checkpoint is covered by a clean audit"
        if checkpoint is not None:
            extent = f"since checkpoint {checkpoint.size}"
        self.stderr.write(f"Auditing {extent}.")
        return checkpoint

    def _jobs(self, jobs: int) -> int:
        """Return one process for small logs, where starting more would take longer than they save."""
        if jobs > 1 and current_head().position < parallel.MIN_EVENTS_FOR_PROCESSES:
            self.stderr.write(
                f"Auditing in one process: more only help from {parallel.MIN_EVENTS_FOR_PROCESSES} events on."
            )
            return 1
        return jobs

    def _save_head(self, file: Path, report: AuditReport) -> None:
        """Save the head of the log. A failure to write is reported and does not change the verdict."""
        try:
            save_head(file, position=report.head[0], digest=report.head[1])
        except OSError as error:
            self.stderr.write(f"The head of the log could not be saved ({error}); choose a file with --head-file.")

    def _print(self, report: AuditReport, *, no_color: bool) -> None:
        if report.findings:
            screen = Console(file=cast("IO[str]", self.stdout), no_color=no_color, highlight=False, markup=False)
            screen.print(findings_table(report.findings))
        self.stdout.write(report.summary_line())
        if report.not_read:
            self.stdout.write(f"Not looked at: {'; '.join(report.not_read)}.")


def _audit(jobs: int, *, quiet: bool, **options: Any) -> AuditReport:
    """Run the audit. Findings and their order do not depend on the number of processes.

    Processes start before the thread of the progress bar.
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
    for finding in findings:
        table.add_row(finding.kind, finding.location, finding.expected, finding.actual)
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
