"""Saved reports: their newest versions, all operators on one page, and where they are delivered."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse

from casino.api.sheets import ColumnType
from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, done_or_waits
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import column, staff_column, time_column
from casino.backoffice.forms import EnumSelectField, RowForm, line_field
from casino.backoffice.report_cells import ReportLayout
from casino.backoffice.sections import Grid, Section
from casino.operators import memberships
from casino.operators.models import Operator
from casino.reports import document, generation, saved
from casino.reports.acts import ADD_DESTINATION
from casino.reports.definition import report_definitions
from casino.reports.intervals import ReportPeriod, period_interval
from casino.reports.models import Report, ReportDestination, SavedReport
from casino.reports.renderers import format_names

ADD: Final = "reports.add_savedreport"
CHANGE: Final = "reports.change_savedreport"
CREATE: Final = "reports.generate_report"
MAX_VERSIONS: Final = 60
MAX_ROWS: Final = 500
"""Rows of all operators together that the page shows; files have all of them."""
_SUMMED: Final = {ColumnType.INTEGER.value, ColumnType.MONEY.value}
_PERIODS: Final = {period: period.value.capitalize() for period in saved.PERIODS}


def _title(row: SavedReport) -> str:
    definition = report_definitions().get(row.name)
    return row.name if definition is None else definition.title


class SavedReportForm(RowForm):
    title = line_field("Title", max_length=saved.MAX_TITLE_LENGTH)
    name = forms.ChoiceField(label="Report")
    period = EnumSelectField(ReportPeriod, label="Period", labels=_PERIODS)
    operators = forms.MultipleChoiceField(label="Operators")

    def prepare(self) -> None:
        """Offer the reports, and the operators that the user works for."""
        titles = [(name, definition.title) for name, definition in report_definitions().items()]
        self.fields["name"] = forms.ChoiceField(label="Report", choices=titles)
        slugs = list(scope.operator_slugs(self.request).items())
        self.fields["operators"] = forms.MultipleChoiceField(label="Operators", choices=slugs)
        self.order_fields(["title", "name", "period", "operators"])


class DayForm(RowForm):
    day = forms.DateField(label="A day in the period", widget=forms.DateInput({"type": "date"}))


class DestinationForm(RowForm):
    address = line_field("E-mail address", max_length=254)
    format = forms.ChoiceField(label="Format", choices=[(name, name) for name in format_names()], initial="csv")


class RemoveDestinationForm(RowForm):
    destination = forms.ModelChoiceField(ReportDestination.objects.none(), label="Destination")

    def prepare(self) -> None:
        """Offer the destinations of the report."""
        rows = self.row.destinations.order_by("pk")
        self.fields["destination"] = forms.ModelChoiceField(rows, label="Destination")


@admin.register(SavedReport)
class SavedReportAdmin(ReadOnlyAdmin):
    """Reports that somebody looks at again; those of operators for which the user works."""

    list_display = ("title_", "report", "period_", "operators_", "creator", "created")
    search_help_text = "id of a saved report"
    list_link = ListLink("Save a report", "admin:reports_savedreport_new", ADD)
    title_ = column("title", lambda row: row.title)
    report = column("report", _title)
    period_ = column("every", lambda row: row.period)
    operators_ = column("operators", lambda row: ", ".join(_slugs(row.operators).values()))
    creator = staff_column("created_by", "by")
    created = time_column("created_at", "saved")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select the reports all of whose operators the user works for."""
        return Q(operators__contained_by=list(operators))

    def get_urls(self) -> list[URLPattern]:
        new = path("new/", self.admin_site.admin_view(self.new), name="reports_savedreport_new")
        return [new, *super().get_urls()]

    def new(self, request: HttpRequest) -> HttpResponse:
        """Show the page that saves a report, and save it. Raises PermissionDenied."""
        if not request.user.has_perm(ADD):
            raise PermissionDenied

        def perform(data: dict[str, Any]) -> str:
            row = saved.save_report(
                title=data["title"],
                name=data["name"],
                period=data["period"],
                operators=[UUID(key) for key in data["operators"]],
                by=memberships.staff_actor(request.user),
            )
            messages.success(request, "The report is saved. Its page has all its operators.")
            return reverse("admin:reports_savedreport_change", args=[row.pk])

        form = SavedReportForm(request.POST if request.method == "POST" else None, request=request, row=None)
        help_text = (
            "Versions are created an hour after each day, month or year, and go to the destinations that you add."
        )
        return self.form_view(request, form, perform, title="Save a report", label="Save", help_text=help_text)

    @RowAction("Create", title="Create a version for each of its operators", permission=CREATE, form=DayForm)
    def create(self, request: HttpRequest, row: SavedReport, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        for operator in Operator.objects.filter(pk__in=row.operators):
            interval = period_interval(ReportPeriod(row.period), day=data["day"], zone=operator.time_zone)
            generation.generate_report(operator=operator.pk, name=row.name, interval=interval, by=by)
        return "The versions are below."

    @RowAction(
        "Add",
        title="Add a destination",
        permission=ADD_DESTINATION.name,
        form=DestinationForm,
        help_text="Versions that are created from now on are sent there, once their period is over.",
    )
    def add_destination(self, request: HttpRequest, row: SavedReport, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        change = saved.request_destination(row, address=data["address"].strip(), file_format=data["format"], by=by)
        return done_or_waits(change, "The destination is added.")

    @RowAction(
        "Remove the destination",
        title="Remove a destination",
        permission=CHANGE,
        form=RemoveDestinationForm,
        applies=lambda _, row: row.destinations.exists(),
        tone="bad",
    )
    def remove_destination(self, request: HttpRequest, _row: SavedReport, data: dict[str, Any]) -> str:
        saved.remove_destination(data["destination"], by=memberships.staff_actor(request.user))
        return "The destination is removed."

    @RowAction(
        "Remove",
        title="Remove this saved report",
        permission=CHANGE,
        tone="bad",
        question="Remove this saved report with its destinations? The versions of the report stay.",
    )
    def remove(self, request: HttpRequest, row: SavedReport, _data: dict[str, Any]) -> str:
        saved.remove_report(row, by=memberships.staff_actor(request.user))
        return "The saved report is removed."

    def sections(self, _request: HttpRequest, obj: SavedReport) -> Sequence[Section]:
        slugs = _slugs(obj.operators)
        reports = Report.objects.filter(operator_id__in=obj.operators, name=obj.name, period=obj.period)
        versions = list(reports.defer("content").order_by("-since", "operator_id", "-version")[:MAX_VERSIONS])
        newest: dict[UUID, UUID] = {}
        for each in versions:
            if versions[0].label == each.label:
                newest.setdefault(each.operator_id, each.pk)
        across = (_across(slugs, list(Report.objects.filter(pk__in=newest.values()))),) if newest else ()
        return [
            self.facts(obj, "report", "period_", "operators_", "creator", "created"),
            *across,
            _versions(slugs, versions),
            _destinations(obj),
        ]


def _slugs(operators: Sequence[UUID]) -> dict[UUID, str]:
    return dict(Operator.objects.filter(pk__in=operators).order_by("slug").values_list("pk", "slug"))


def _across(slugs: dict[UUID, str], reports: Sequence[Report]) -> Grid:
    """Show the rows of all operators of one period, and what they add up to by money type and currency."""
    ordered = sorted(reports, key=lambda report: slugs[report.operator_id])
    contents = [(slugs[report.operator_id], document.read(bytes(report.content))) for report in ordered]
    layout = ReportLayout.of(contents[0][1])
    rows = [(slug, row) for slug, content in contents for row in content["rows"]]
    cells = [
        [slug, *line] for (slug, _), line in zip(rows, layout.cells([row for _, row in rows[:MAX_ROWS]]), strict=False)
    ]
    totals = [["all", *line] for line in layout.cells(_totals(layout, [content for _, content in contents]))]
    note = f"The first {MAX_ROWS} of {len(rows)} rows; files have all of them." if len(rows) > MAX_ROWS else ""
    title = f"All operators, {reports[0].label}"
    return Grid(
        title, ["Operator", *layout.titles], [*cells, *totals], document.NO_ACTIVITY, note=note,
        numeric=layout.numeric(), frozen=1,
    )  # fmt: skip


def _totals(layout: ReportLayout, contents: Sequence[dict[str, Any]]) -> list[list[Any]]:
    totals: dict[tuple[Any, Any], list[Any]] = {}
    for row in (row for content in contents for row in content["totals"]):
        total = totals.setdefault((row[0], row[1]), [None] * len(row))
        for index, each in enumerate(layout.columns):
            if index < 2:
                total[index] = row[index]
            elif each["kind"] in _SUMMED and row[index] is not None:
                total[index] = str(Decimal(total[index] or 0) + Decimal(row[index]))
    return [totals[key] for key in sorted(totals)]


def _versions(slugs: dict[UUID, str], versions: Sequence[Report]) -> Grid:
    rows = [
        (html.page("report", each.pk, each.label), slugs[each.operator_id], each.version, each.generated_at)
        for each in versions
    ]
    return Grid("Versions", ("Period", "Operator", "Version", "Created"), rows, empty="No version yet.")


def _destinations(row: SavedReport) -> Grid:
    rows = []
    for each in row.destinations.order_by("pk"):
        last = each.deliveries.order_by("-pk").select_related("report").first()
        if last is None:
            outcome: object = html.NOTHING
        else:
            outcome = last.sent_at or html.with_note(last.error or "waiting", f"attempt {last.attempts}")
        waiting = each.deliveries.filter(sent_at=None).count()
        rows.append((each.address, each.format, str(waiting), outcome))
    headers = ("Address", "Format", "Waiting", "Last delivered")
    return Grid(
        "Destinations", headers, rows, empty="No destination yet: nothing is delivered.", numeric=frozenset({"Waiting"})
    )
