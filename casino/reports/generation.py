"""Make a report: read sealed facts from one snapshot, and keep what they say unless a version already says it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import connection, transaction

from casino.events.ids import new_id
from casino.events.sql import execute, fetch
from casino.reports import document, registry
from casino.reports.definition import ReportData, ReportDefinition, ReportScope, sums
from casino.reports.document import ReportOperator, VersionInfo
from casino.reports.intervals import Interval, ReportPeriod
from casino.reports.models import Report
from casino.reports.refusals import IntervalNotBegun, UnknownOperatorReport


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read, of when, and what it says."""

    definition: ReportDefinition
    interval: Interval
    asked: ReportScope
    found: ReportData
    said: dict[str, Any]


SYSTEM: Final = "system"
_WHOSE: Final = "SELECT id, slug, name, sandbox, time_zone FROM operators_operator WHERE id = %s"
_HEAD: Final = """
    SELECT (SELECT coalesce(max(position), 0)::bigint FROM events_seal), clock_timestamp()
"""
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 6))"
_LATEST: Final = """
    SELECT id, version, position, facts_digest FROM reports_report
     WHERE operator_id = %s AND name = %s AND period = %s AND since = %s AND until = %s
     ORDER BY version DESC LIMIT 1
"""
_KEEP: Final = """
    INSERT INTO reports_report (id, operator_id, name, period, since, until, label, version, position, rows,
                                generated_by, generated_at, sha256, facts_digest, content, figures)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb)
"""


def load_report_operator(operator: UUID) -> ReportOperator:
    """Tell what a report has to know of an operator. Raises UnknownReport where there is none."""
    rows = fetch(_WHOSE, [operator])
    if not rows:
        raise UnknownOperatorReport("There is no such operator.")
    return ReportOperator(*rows[0])


def generate_report(*, operator: UUID, name: str, interval: Interval, by: str) -> Report:
    """Return the newest version of a report: a new one, or the one before where nothing has changed.

    Raises UnknownReport, IntervalNotBegun.
    """
    definition = registry.find_definition(name)
    owner = load_report_operator(operator)
    with _snapshot():
        ((position, now),) = fetch(_HEAD)
        if interval.since > now:
            raise IntervalNotBegun(f"It begins at {document.format_timestamp(interval.since)}.")
        asked = ReportScope(operator, owner.sandbox, interval.since, interval.until, position)
        found = definition.read(asked)
    what = _Read(definition, interval, asked, found, document.facts(definition, owner, interval, found))
    identity = new_id()
    with transaction.atomic():
        report = _kept(what, VersionInfo(identity, 0, now, by, position))
        if report == identity and definition.watch is not None:
            definition.watch(asked, found)
    return Report.objects.get(pk=report)


def recompute_facts_digest(report: Report) -> str:
    """Read the facts of a version anew, as of its own position, and return the hash of what they say."""
    definition, owner = registry.find_definition(report.name), load_report_operator(report.operator_id)
    told = document.read(bytes(report.content))["interval"]
    interval = Interval(ReportPeriod(told["period"]), report.since, report.until, told["time_zone"])
    asked = ReportScope(report.operator_id, owner.sandbox, report.since, report.until, report.position)
    with _snapshot():
        found = definition.read(asked)
    return document.digest(document.facts(definition, owner, interval, found))


def find_mismatch(report: Report) -> str:
    """Say what is wrong with a version that was kept; nothing where its bytes are those that were hashed,
    and what is sealed up to its position still says the same. Reports with notes of people's are not read anew.
    """
    content = bytes(report.content)
    if document.sha256(content) != report.sha256:
        return "its bytes are not those that were hashed"
    if registry.find_definition(report.name).repeatable and recompute_facts_digest(report) != report.facts_digest:
        return "what is sealed says otherwise"
    return ""


@contextmanager
def _snapshot() -> Generator[None]:
    """One snapshot for all that is read. Inside a transaction of the caller's, the position alone holds it together."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _kept(what: _Read, made: VersionInfo) -> UUID:
    """The id of the version that says it; whoever read a later state of the log has the last word."""
    interval, found = what.interval, what.found
    key = [what.asked.operator, what.definition.name, interval.period.value, interval.since, interval.until]
    fetch(_LOCK, ["|".join(map(str, key))])
    facts, latest = document.digest(what.said), fetch(_LATEST, key)
    if latest and (latest[0][3] == facts or latest[0][2] > made.position):
        known: UUID = latest[0][0]
        return known
    version = latest[0][1] + 1 if latest else 1
    content = document.serialize_version(what.said, replace(made, version=version))
    figures = sums(what.definition.columns, found.rows) if found.figures is None else found.figures
    execute(
        _KEEP,
        [
            made.report, *key, interval.label, version, made.position, len(found.rows), made.by, made.at,
            document.sha256(content), facts, content, msgspec.json.encode(figures).decode(),
        ],
    )  # fmt: skip
    return made.report
