"""The bodies of the part of the API that is about reports."""

from datetime import UTC, date, datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from casino.api.fields import EnumField, StrictSerializer, TextField
from casino.reports.definition import ReportDefinition
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.refusals import IntervalInvalid


@extend_schema_field(OpenApiTypes.DATE)
class DateField(serializers.Field[date, Any, str, date]):
    """A day such as 2026-11-20."""

    def to_internal_value(self, data: Any) -> date:
        """Read the day; a year can follow it."""
        try:
            found = date.fromisoformat(data if isinstance(data, str) and len(data) == 10 else "")
            found.replace(year=found.year + 1, day=1)
        except ValueError:
            raise ValidationError("This is no day such as 2026-11-20.", code="field_invalid") from None
        if found.year < 2000:
            raise ValidationError("Nothing was recorded before 2000.", code="field_invalid")
        return found

    def to_representation(self, value: date) -> str:
        """Print the day."""
        return value.isoformat()


@extend_schema_field(OpenApiTypes.DATETIME)
class OffsetDateTimeField(serializers.Field[datetime, Any, str, datetime]):
    """A moment with its offset, such as 2026-11-20T09:00:00Z."""

    def to_internal_value(self, data: Any) -> datetime:
        try:
            found = parse_datetime(data) if isinstance(data, str) else None
            if found is not None and found.tzinfo is not None:
                return found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise ValidationError("This is no moment such as 2026-11-20T09:00:00Z.", code="field_invalid")

    def to_representation(self, value: datetime) -> str:
        return value.isoformat()


class OperatorReportRequest(StrictSerializer):
    """Which report, of when: `date` for a day, month or year, `since` and `until` for an interval, none for a life."""

    name = TextField(max_length=40)
    period = EnumField(ReportPeriod)
    date = DateField(required=False, default=None)
    since = OffsetDateTimeField(required=False, default=None)
    until = OffsetDateTimeField(required=False, default=None)


class OperatorReportsQuery(serializers.Serializer[Any]):
    """Which versions of reports."""

    name = TextField(max_length=40, required=False, default=None)


class OperatorReportResponse(serializers.Serializer[Any]):
    """One version of a report. `facts` is the same for versions that say the same; `sha256` is of the JSON file."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    period = serializers.ChoiceField([period.value for period in ReportPeriod])
    label = serializers.CharField(help_text="In your own time zone.")  # type: ignore[assignment]
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(help_text="Not included.")
    version = serializers.IntegerField()
    rows = serializers.IntegerField()
    position = serializers.IntegerField(help_text="All events sealed up to here are in it.")
    generated_at = serializers.DateTimeField()
    generated_by = serializers.CharField()
    sha256 = serializers.CharField()
    facts_digest = serializers.CharField()


class OperatorReportPage(serializers.Serializer[Any]):
    """Versions of reports, newest first."""

    items = OperatorReportResponse(many=True)
    next = serializers.CharField(allow_null=True)


class OperatorReportColumn(serializers.Serializer[Any]):
    """A column: `text`, `count`, `money` in the row's currency, `rate` as a share of one, `moment` or `flag`."""

    name = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.CharField()


class OperatorReportKind(serializers.Serializer[Any]):
    """A report that can be asked for."""

    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    point_in_time = serializers.BooleanField(help_text="It tells how things stood when the interval ended.")
    columns = OperatorReportColumn(many=True)


class OperatorReportKindList(serializers.Serializer[Any]):
    """All reports there are, and the forms they are downloaded in."""

    items = OperatorReportKind(many=True)
    formats = serializers.ListField(child=serializers.CharField())


def parse_interval(data: dict[str, Any], *, zone: str, now: datetime) -> Interval:
    """Return the interval that was asked for. Raises IntervalInvalid for too much or too little said."""
    period, day, since, until = data["period"], data["date"], data["since"], data["until"]
    said = (day is not None, since is not None, until is not None)
    if period is ReportPeriod.LIFE and said == (False, False, False):
        return lifetime_interval(until=now, zone=zone)
    if period is ReportPeriod.INTERVAL and said == (False, True, True):
        return between(since=since, until=until, zone=zone)
    if period in (ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR) and said == (True, False, False):
        return period_interval(period, day=day, zone=zone)
    raise IntervalInvalid


def present_report(report: Report) -> dict[str, Any]:
    """Shape a version for an answer."""
    names = (
        "id", "name", "period", "label", "since", "until", "version", "rows", "position", "generated_at", "generated_by",
        "sha256", "facts_digest",
    )  # fmt: skip
    return {name: getattr(report, name) for name in names}


def present_report_kind(definition: ReportDefinition) -> dict[str, Any]:
    """Shape a report that can be asked for."""
    columns = [{"name": column.name, "title": column.title, "kind": column.kind.value} for column in definition.columns]
    return {
        "name": definition.name,
        "title": definition.title,
        "about": definition.about,
        "point_in_time": definition.as_of_end,
        "columns": columns,
    }
