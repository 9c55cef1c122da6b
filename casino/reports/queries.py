"""What can be asked about reports that were made: always within one operator."""

from uuid import UUID

from django.db.models import QuerySet

from casino.reports.models import Report
from casino.reports.refusals import UnknownOperatorReport


def list_reports(*, operator: UUID, name: str | None, before: UUID | None, limit: int) -> list[Report]:
    """List versions of reports, newest first, those before this id, without their content."""
    reports = Report.objects.filter(operator_id=operator).defer("content")
    if name is not None:
        reports = reports.filter(name=name)
    if before is not None:
        reports = reports.filter(id__lt=before)
    return list(reports.order_by("-id")[:limit])


def find(*, operator: UUID, report: UUID) -> Report:
    """Find one version. Raises UnknownReport, also for another operator's."""
    found = Report.objects.filter(operator_id=operator, pk=report).first()
    if found is None:
        raise UnknownOperatorReport
    return found


def versions(report: Report) -> QuerySet[Report]:
    """List all versions of what a report is of, newest first, without their content."""
    same = {"operator_id": report.operator_id, "name": report.name, "period": report.period}
    return Report.objects.filter(**same, since=report.since, until=report.until).defer("content").order_by("-version")
