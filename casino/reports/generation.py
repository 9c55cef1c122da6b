"""Generate reports from one snapshot of sealed events, and read and verify their stored versions.

A new version is stored only if its contents differ from the latest one's.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import connection, transaction
from django.db.models import QuerySet

from casino.events import announcements
from casino.events.ids import new_id
from casino.events.rebuild import keep_projections
from casino.events.sql import execute, fetch
from casino.operators.models import Operator
from casino.operators.notices import name_of
from casino.reports import document
from casino.reports.definition import ReportData, ReportDefinition, ReportScope, column_totals, find_definition
from casino.reports.document import VersionInfo
from casino.reports.intervals import Interval, ReportPeriod
from casino.reports.models import Report
from casino.reports.refusals import IntervalNotBegun, UnknownOperatorReport

SYSTEM: Final = "system"
_HEAD: Final = """
    SELECT (SELECT coalesce(max(position), 0)::bigint FROM events_seal), clock_timestamp()
"""
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 6))"


@dataclass(frozen=True, slots=True)
class ReportMade:
    """A version of a report was stored; `sha256` is that of its content."""

    report: UUID
    name: str
    period: ReportPeriod
    since: datetime
    until: datetime
    version: int
    rows: int
    sha256: str
    made_at: datetime


def find_report_operator(operator: UUID) -> Operator:
    """Return an operator. Raises UnknownOperatorReport if there is none."""
    owner = Operator.objects.filter(pk=operator).first()
    if owner is None:
        raise UnknownOperatorReport("There is no such operator.")
    return owner


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a report says at `now`: its data, and the facts for its document with their digest."""

    scope: ReportScope
    data: ReportData
    facts: dict[str, Any]
    digest: str
    now: datetime


def generate_report(*, operator: UUID, name: str, interval: Interval, by: str) -> Report:
    """Return the latest version of a report: a new one if its contents have changed, or are final now.

    Raises UnknownOperatorReport, IntervalNotBegun.
    """
    definition = find_definition(name)
    reading = _read(definition, find_report_operator(operator), interval)
    key = {
        "operator_id": operator,
        "name": name,
        "period": interval.period.value,
        "since": interval.since,
        "until": interval.until,
    }
    with transaction.atomic():
        fetch(_LOCK, ["|".join(map(str, key.values()))])
        latest = Report.objects.filter(**key).order_by("-version").first()
        if latest is not None and _has_last_word(latest, reading):
            return latest
        number = 1 if latest is None else latest.version + 1
        version = VersionInfo(new_id(reading.now), number, reading.now, name_of(by))
        data, content = reading.data, document.serialize_version(reading.facts, version)
        figures = column_totals(definition.columns, data.rows) if data.figures is None else data.figures
        report = Report.objects.create(
            **key,
            id=version.report,
            label=interval.label,
            version=version.version,
            position=reading.scope.position,
            rows=len(data.rows),
            generated_by=by,
            generated_at=reading.now,
            sha256=document.sha256(content),
            facts_digest=reading.digest,
            content=content,
            figures=msgspec.to_builtins(figures),
        )
        _announce(report, interval)
        if definition.watch is not None:
            definition.watch(reading.scope, data)
    return report


def _read(definition: ReportDefinition, owner: Operator, interval: Interval) -> _Reading:
    """Read a report from one snapshot. Raises IntervalNotBegun."""
    with snapshot():
        ((position, now),) = fetch(_HEAD)
        if interval.since > now:
            raise IntervalNotBegun(f"It begins at {document.format_timestamp(interval.since)}.")
        scope = ReportScope(owner.pk, owner.sandbox, interval.since, interval.until, position)
        data = definition.read(scope)
    facts = document.facts(definition, owner, interval, data)
    return _Reading(scope, data, facts, document.digest(facts), now)


def _has_last_word(latest: Report, reading: _Reading) -> bool:
    """Return whether a stored version says the same, as final as it can be, or is of a later position."""
    is_final = latest.generated_at >= reading.scope.until or reading.now < reading.scope.until
    is_known = latest.facts_digest == reading.digest and is_final
    return is_known or latest.position > reading.scope.position


def _announce(report: Report, interval: Interval) -> None:
    """Tell the operator's feed of a new version."""
    made = ReportMade(
        report.id,
        report.name,
        interval.period,
        report.since,
        report.until,
        report.version,
        report.rows,
        report.sha256,
        report.generated_at,
    )
    announcements.announce(made, operator=report.operator_id)


def recompute_facts_digest(report: Report) -> str:
    """Read the facts of a version again, as of its position, and return the digest of the contents."""
    definition, owner = find_definition(report.name), find_report_operator(report.operator_id)
    header = document.read(bytes(report.content))["interval"]
    interval = Interval(ReportPeriod(header["period"]), report.since, report.until, header["time_zone"])
    scope = ReportScope(report.operator_id, owner.sandbox, report.since, report.until, report.position)
    with snapshot():
        data = definition.read(scope)
    return document.digest(document.facts(definition, owner, interval, data))


def find_mismatch(report: Report) -> str:
    """Return what is wrong with a stored version, or an empty string.

    Its bytes must have the stored hash, and the events up to its position must give the same contents. Reports that
    include people's notes are not repeatable, so only their hash is checked.
    """
    if document.sha256(bytes(report.content)) != report.sha256:
        return "its content does not have the stored hash"
    if find_definition(report.name).repeatable and recompute_facts_digest(report) != report.facts_digest:
        return "the sealed events give other contents"
    return ""


def list_reports(*, operator: UUID, name: str | None, before: UUID | None, limit: int) -> list[Report]:
    """List versions of an operator's reports, newest first, those before this id, without their content."""
    reports = Report.objects.filter(operator_id=operator).defer("content")
    if name is not None:
        reports = reports.filter(name=name)
    if before is not None:
        reports = reports.filter(id__lt=before)
    return list(reports.order_by("-id")[:limit])


def find_report(*, operator: UUID, report: UUID) -> Report:
    """Return one version. Raises UnknownOperatorReport, also for another operator's."""
    row = Report.objects.filter(operator_id=operator, pk=report).first()
    if row is None:
        raise UnknownOperatorReport
    return row


def versions(report: Report) -> QuerySet[Report]:
    """Return all versions of a report, newest first, without their content."""
    key: dict[str, Any] = {name: getattr(report, name) for name in ("operator_id", "name", "period", "since", "until")}
    return Report.objects.filter(**key).defer("content").order_by("-version")


@contextmanager
def snapshot() -> Generator[None]:
    """Read everything in one snapshot. Inside a caller's transaction, only the position keeps reads consistent."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        keep_projections()
        execute("SET TRANSACTION READ ONLY")
        yield
