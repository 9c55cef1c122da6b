"""Reports: versions with their rows and files, what changed between two of them, and the page that creates one."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction
from casino.backoffice.base import ListLink
from casino.backoffice.columns import LabelledRowsAdmin, column, staff_column, time_column
from casino.backoffice.filters import choice_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import EnumSelectField, RowForm, time_field
from casino.backoffice.report_cells import ReportLayout, rows_grid
from casino.backoffice.sections import Facts, Grid, Section
from casino.operators import memberships
from casino.operators.models import Operator
from casino.reports import document, generation
from casino.reports.definition import report_definitions
from casino.reports.document import diff_rows
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.models import Report
from casino.reports.refusals import IntervalInvalid, UnknownFormat
from casino.reports.renderers import format_names, render_report
from casino.staff.access_log import record_access

CREATE: Final = "reports.generate_report"
MAX_ROWS: Final = 200
"""Rows that a page shows; files have all of them."""


def _titles() -> dict[str, str]:
    return {name: definition.title for name, definition in report_definitions().items()}


class ReportForm(RowForm):
    operator = forms.ChoiceField(label="Operator")
    name = forms.ChoiceField(label="Report")
    period = EnumSelectField(ReportPeriod, label="Period")
    date = forms.DateField(
        label="A day in it (for a day, month or year)",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    since = time_field("From, for an interval", required=False)
    until = time_field("Until, exclusive, for an interval", required=False)

    def prepare(self) -> None:
        """Offer the reports, and the operators that the user works for."""
        operators = scope.within(Operator.objects.order_by("slug"), self.request, "id")
        self.operators = {operator.slug: operator for operator in operators}
        choices = {"operator": [(slug, slug) for slug in self.operators], "name": list(_titles().items())}
        for name, values in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = values

    def interval(self) -> Interval:
        """Return the interval. Raises IntervalInvalid."""
        data, period = self.cleaned_data, self.cleaned_data["period"]
        zone = self.operators[data["operator"]].time_zone
        try:
            if period is ReportPeriod.LIFETIME:
                return lifetime_interval(until=timezone.now(), zone=zone)
            if period is ReportPeriod.INTERVAL:
                since, until = data["since"].astimezone(UTC), data["until"].astimezone(UTC)
                return between(since=since, until=until, zone=zone)
            return period_interval(period, day=data["date"], zone=zone)
        except (AttributeError, ValueError, OverflowError):
            raise IntervalInvalid from None


@admin.register(Report)
class ReportAdmin(LabelledRowsAdmin):
    """Versions of reports, newest first. Found by id."""

    names = ("operator",)
    list_display = ("title", "interval", "operator", "version", "rows", "as_of", "created", "creator")
    list_filter = (
        operator_filter(),
        choice_filter("report", choices=lambda _: _titles(), where=lambda value: Q(name=value)),
        enum_filter(ReportPeriod, "period"),
        since_by_uuid(),
    )
    search_help_text = "id of a version"
    list_link = ListLink("Create report", "admin:reports_report_create", CREATE)
    title = column("report", lambda report: _titles().get(report.name, report.name))
    interval = column("interval", lambda report: html.with_note(report.label, report.period))
    as_of = column("as of", lambda report: f"#{report.position}")
    created = time_column("generated_at", "created")
    creator = staff_column("generated_by", "by")

    def title_of(self, obj: Any) -> str:
        return f"{self.title(obj)}: {obj.slug}, {obj.label}, version {obj.version}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave the content to the page of one report."""
        return super().get_queryset(request).defer("content")

    def get_urls(self) -> list[URLPattern]:
        """Add the page that creates a report, and the address of files."""
        file = require_safe(self.admin_site.admin_view(self.file))
        return [
            path("create/", self.admin_site.admin_view(self.create), name="reports_report_create"),
            path("<uuid:report>/file/", file, name="reports_report_file"),
            *super().get_urls(),
        ]

    def create(self, request: HttpRequest) -> HttpResponse:
        """Show the page that creates a report, and create it. Raises PermissionDenied."""
        if not request.user.has_perm(CREATE):
            raise PermissionDenied
        form = ReportForm(request.POST if request.method == "POST" else None, request=request, row=None)

        def perform(data: dict[str, Any]) -> str:
            operator, by = form.operators[data["operator"]].id, memberships.staff_actor(request.user)
            interval = form.interval()
            return self.page_url(
                generation.generate_report(operator=operator, name=data["name"], interval=interval, by=by)
            )

        help_text = "Days begin in the operator's time zone. No new version is created if nothing has changed."
        return self.form_view(request, form, perform, title="Create report", label="Create", help_text=help_text)

    def file(self, request: HttpRequest, report: Any) -> HttpResponse:
        """Return a report as a file, and log the download."""
        row = self.find_row(request, str(report))
        if row is None:
            raise PermissionDenied
        try:
            file = render_report(row, request.GET.get("format", "json"))
        except UnknownFormat:
            raise PermissionDenied from None
        self.log_change(request, row, f"Downloaded {file.name}.")
        record_access(request, subject=self.subject_of(row), operator=row.operator_id)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"', "Cache-Control": "no-store"}
        return HttpResponse(file.content, content_type=file.media_type, headers=headers)

    @RowAction("Regenerate", permission=CREATE, help_text="No new version is created if nothing has changed.")
    def regenerate(self, request: HttpRequest, report: Report, _data: dict[str, Any]) -> str:
        """Generate the report again, from all events sealed so far."""
        header = document.read(bytes(report.content))["interval"]
        interval = Interval(ReportPeriod(header["period"]), report.since, report.until, header["time_zone"])
        known = set(generation.versions(report).values_list("pk", flat=True))
        by = memberships.staff_actor(request.user)
        latest = generation.generate_report(operator=report.operator_id, name=report.name, interval=interval, by=by)
        return f"Version {latest.version} {'is unchanged' if latest.pk in known else 'is new'}."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a version: its rows, its files, the other versions, and what changed since the previous one."""
        content, versions = document.read(bytes(obj.content)), list(generation.versions(obj)[:MAX_ROWS])
        previous = next((version for version in versions if version.version < obj.version), None)
        changes = () if previous is None else (_changes(content, previous),)
        return [self._facts(obj, content), _rows(content), *changes, _versions(obj, versions)]

    def _facts(self, report: Any, content: dict[str, Any]) -> Facts:
        url = reverse("admin:reports_report_file", args=[report.pk])
        files = [html.link(f"{url}?{urlencode({'format': name})}", name) for name in format_names()]
        intact = document.sha256(bytes(report.content)) == report.sha256
        rows: list[tuple[str, object]] = [
            ("Operator", self.operator(report)),
            *(_header_fact(name, value) for name, value in document.header(content) if name != "Operator"),
            ("Description", content["description"]),
            ("SHA-256 of the JSON file", html.code(report.sha256)),
            ("Content", html.badge("matches its hash", "good") if intact else html.badge("changed", "bad")),
            ("Files", SafeString(" \N{MIDDLE DOT} ".join(files))),
        ]
        return Facts(document.title(content), rows)


def _header_fact(name: str, value: str) -> tuple[str, object]:
    """Return a line above the rows of a file; its times are in UTC there, and in the user's time zone here."""
    if "(UTC" not in name:
        return name, value
    return name.replace(" (UTC)", "").replace("(UTC, ", "("), datetime.fromisoformat(value)


def _rows(content: dict[str, Any]) -> Grid:
    rows = content["rows"]
    shown = [*rows[:MAX_ROWS], *document.totals(content)]
    note = f"The first {MAX_ROWS} of {len(rows)} rows; files have all of them." if len(rows) > MAX_ROWS else ""
    return rows_grid("Rows", content, shown, empty=document.NO_ACTIVITY, note=note)


def _changes(content: dict[str, Any], previous: Report) -> Grid:
    older = document.read(bytes(Report.objects.get(pk=previous.pk).content))
    changes, layout = diff_rows(older, content)[:MAX_ROWS], ReportLayout.of(content)
    rows = [
        [html.badge("was" if change.removed else "is", "bad" if change.removed else "good"), *cells]
        for change, cells in zip(changes, layout.cells([change.row for change in changes]), strict=True)
    ]
    title, empty = f"Since version {previous.version}", "The rows are the same."
    return Grid(title, ["", *layout.titles], rows, empty=empty, numeric=layout.numeric())


def _versions(report: Report, versions: Sequence[Report]) -> Grid:
    rows = [
        (
            f"{each.version} (this)" if each.pk == report.pk else html.page("report", each.pk, str(each.version)),
            each.generated_at,
            each.generated_by,
            f"#{each.position}",
            html.code(each.sha256),
        )
        for each in versions
    ]
    return Grid("Versions", ("Version", "Created", "By", "As of", "SHA-256"), rows)
