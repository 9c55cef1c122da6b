"""Saved reports and their destinations. Every change is a significant event of each operator."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from casino.kernel.text import require
from casino.operators import changes
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator
from casino.reports import acts
from casino.reports.definition import find_definition
from casino.reports.intervals import ReportPeriod
from casino.reports.models import ReportDestination, SavedReport
from casino.reports.refusals import InvalidDestination, InvalidSavedReport, UnknownFormat
from casino.reports.renderers import format_names
from casino.significant import act_log, recorder
from casino.staff.duties import Act

PERIODS: Final = (ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR)
"""Periods whose reports are created automatically, so that they can be delivered."""
MAX_TITLE_LENGTH: Final = 80


def save_report(*, title: str, name: str, period: ReportPeriod, operators: Collection[UUID], by: str) -> SavedReport:
    """Save a report of these operators. Raises UnknownOperatorReport, InvalidSavedReport."""
    find_definition(name)
    text = require(title, limit=MAX_TITLE_LENGTH, refusal=InvalidSavedReport, multiline=False)
    if not operators or period not in PERIODS:
        raise InvalidSavedReport
    with transaction.atomic():
        row = SavedReport.objects.create(
            title=text, name=name, period=period.value, operators=sorted(set(operators)), created_by=by
        )
        _record(row, acts.SAVE_REPORT, by, "A report was saved")
    return row


def remove_report(row: SavedReport, *, by: str) -> None:
    """Remove a saved report with its destinations; versions of the report stay."""
    with transaction.atomic():
        SavedReport.objects.filter(pk=row.pk).delete()
        _record(row, acts.REMOVE_REPORT, by, "A saved report was removed")


def request_destination(row: SavedReport, *, address: str, file_format: str, by: str) -> Change | None:
    """Add an address, which takes two persons where anybody plays for real money.

    Staff of all operators confirm that a report of several is sent. Raises UnknownFormat, InvalidDestination.
    """
    return changes.make(
        _sole_operator(row),
        ChangeName.REPORT_DESTINATION,
        subject=f"saved_report:{row.pk}",
        summary=f"Send the report {row.title} to {address}, as {file_format}",
        details={"report": row.pk, "address": address, "format": file_format},
        by=by,
    )


def register() -> None:
    """Let two persons send reports elsewhere."""
    changes.register(ChangeKind(ChangeName.REPORT_DESTINATION, acts.ADD_DESTINATION, _add_destination))


def _add_destination(change: Change) -> None:
    details = change.details
    for row in SavedReport.objects.filter(pk=details["report"]):  # which may be gone since
        add_destination(row, address=details["address"], file_format=details["format"], by=change.requested_by)


def add_destination(row: SavedReport, *, address: str, file_format: str, by: str) -> ReportDestination:
    """Add an e-mail address, to which go all versions that are created from now on. Raises InvalidDestination."""
    if file_format not in format_names():
        raise UnknownFormat
    try:
        validate_email(address)
    except ValidationError:
        raise InvalidDestination from None
    with transaction.atomic():
        destination = ReportDestination.objects.create(saved_report=row, address=address, format=file_format)
        _record(row, acts.ADD_DESTINATION, by, f"A destination of a saved report was added: {destination}")
    return destination


def remove_destination(destination: ReportDestination, *, by: str) -> None:
    """Remove a destination with what waits for it."""
    with transaction.atomic():
        destination.delete()
        row = destination.saved_report
        _record(row, acts.REMOVE_REPORT, by, f"A destination of a saved report was removed: {destination}")


def _sole_operator(row: SavedReport) -> Operator | None:
    owners = Operator.objects.filter(pk__in=row.operators)
    return owners[0] if len(owners) == 1 else None


def _record(row: SavedReport, act: Act, by: str, reason: str) -> None:
    owner, subject = _sole_operator(row), f"saved_report:{row.pk}"
    act_log.done(act.name, kind=None, operator=None if owner is None else owner.pk, subject=subject, actor=by)
    for operator in row.operators:
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator,
            subject=subject,
            actor=by,
            reason=f"{reason} ({row.title})",
            after={"report": row.name, "period": row.period},
        )
