"""Reports as staff see them: versions, their rows, what changed between two, files; and what reports found."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from casino.backoffice import html, staff_names
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.pages.report_creation import MAKE, make_view
from casino.backoffice.sections import Facts, Form, Grid, Section
from casino.backoffice.seen import seen
from casino.operators import memberships
from casino.operators.models import Operator
from casino.reports import document, generation, queries, registry
from casino.reports.definition import ColumnType
from casino.reports.diff import diff_rows
from casino.reports.intervals import Interval, ReportPeriod
from casino.reports.models import Report
from casino.reports.refusals import UnknownFormat
from casino.reports.renderers import base

MOST_ROWS: Final = 200
"""Rows that a page shows; files have all of them."""
_NUMBERS: Final = {ColumnType.COUNT.value, ColumnType.MONEY.value, ColumnType.RATE.value}


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    """Versions of reports, newest first. Found by id."""

    list_display = ("title", "interval", "operator", "version", "rows", "as_of", "when", "who")
    list_filter = (
        operator_filter(),
        chosen(
            title="report",
            parameter="report",
            choices=lambda _: {name: each.title for name, each in registry.report_definitions().items()},
            where=lambda value: Q(name=value),
        ),
        chosen(
            title="period",
            parameter="period",
            choices={period.value: period.value.capitalize() for period in ReportPeriod},
            where=lambda value: Q(period=value),
        ),
        since_by_uuid(),
    )
    ordering = ("-id",)
    search_help_text = "id of a version"
    list_before_template = "admin/casino/make_report.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the operator's name; the content is read by the page of one report alone."""
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        rows: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug)).defer("content")
        return rows

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Offer those who may to have a report made."""
        may = {"may_make": request.user.has_perm(MAKE), "make_url": reverse("admin:reports_report_make")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `make`, of files, and of `again`."""
        return [
            path("make/", self.admin_site.admin_view(make_view), name="reports_report_make"),
            path(
                "<uuid:report>/file/", require_safe(self.admin_site.admin_view(self.file)), name="reports_report_file"
            ),
            self.perform_path("again", MAKE, self.again),
            *super().get_urls(),
        ]

    def file(self, request: HttpRequest, report: Any) -> HttpResponse:
        """Send a report as a file, and note who took it."""
        found = self._find(request, str(report))
        if found is None:
            raise PermissionDenied
        try:
            file = base.render_report(found, request.GET.get("format", "json"))
        except UnknownFormat:
            raise PermissionDenied from None
        self.log_change(request, found, f"Downloaded {file.name}.")
        seen(request, subject=self.subject_of(found), operator=found.operator_id)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"', "Cache-Control": "no-store"}
        return HttpResponse(file.content, content_type=file.media_type, headers=headers)

    def again(self, request: HttpRequest, report: Report) -> str:
        """Have it made again, of what is sealed by now."""
        told = document.read(bytes(report.content))["interval"]
        interval = Interval(ReportPeriod(told["period"]), report.since, report.until, told["time_zone"])
        known = set(queries.versions(report).values_list("pk", flat=True))
        by = memberships.staff_actor(request.user)
        made = generation.generate_report(operator=report.operator_id, name=report.name, interval=interval, by=by)
        return f"Version {made.version} says {'the same as now' if made.pk in known else 'what is new'}."

    @admin.display(description="report")
    def title(self, report: Report) -> str:
        known = registry.report_definitions().get(report.name)
        return report.name if known is None else known.title

    @admin.display(description="interval")
    def interval(self, report: Report) -> SafeString:
        """The interval, in the operator's time."""
        return html.both(report.label, report.period)

    @admin.display(description="operator")
    def operator(self, report: Any) -> SafeString | str:
        return html.page("operator", report.operator_id, report.slug or html.short(report.operator_id))

    @admin.display(description="as of")
    def as_of(self, report: Report) -> str:
        """How much of the log is in it."""
        return f"#{report.position}"

    @admin.display(description="made (UTC)")
    def when(self, report: Report) -> SafeString | str:
        """When it was made."""
        return html.moment(report.generated_at)

    @admin.display(description="by")
    def who(self, report: Report) -> str:
        """Who had it made."""
        return staff_names.named(report.generated_by)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show a version: what it says, its files, the other versions, and what is new since the last one."""
        told, versions = document.read(bytes(obj.content)), list(queries.versions(obj)[:MOST_ROWS])
        before = next((each for each in versions if each.version < obj.version), None)
        found: list[Section] = [self._facts(obj, told), _rows(told)]
        if before is not None:
            found.append(_changes(told, before))
        found.append(_versions(obj, versions))
        if request.user.has_perm(MAKE):
            says = "A version that would say the same is not made."
            found.append(
                Form("Make it again", "Make it of what is sealed now", self.perform_url("again", obj), says=says)
            )
        return found

    def _facts(self, report: Any, told: dict[str, Any]) -> Facts:
        files = [
            html.link(f"{reverse('admin:reports_report_file', args=[report.pk])}?{urlencode({'format': name})}", name)
            for name in base.format_names()
        ]
        sound = document.sha256(bytes(report.content)) == report.sha256
        rows: list[tuple[str, object]] = [
            ("Operator", self.operator(report)),
            *((name, _plainly(name, value)) for name, value in document.header(told) if name != "Operator"),
            ("About", told["about"]),
            ("SHA-256 of the JSON file", html.code(report.sha256)),
            ("Its bytes", html.badge("as they were hashed", "good") if sound else html.badge("changed", "bad")),
            ("Files", SafeString(" \N{MIDDLE DOT} ".join(files))),
        ]
        return Facts(told["title"], rows)


def _plainly(name: str, value: str) -> object:
    return html.moment(datetime.fromisoformat(value)) if "(UTC" in name else value


def _rows(told: dict[str, Any]) -> Grid:
    columns, rows = told["columns"], told["rows"]
    shown = [_cells(columns, row) for row in [*rows[:MOST_ROWS], *document.totals(told)]]
    note = f"The first {MOST_ROWS} of {len(rows)} rows; files have all of them." if len(rows) > MOST_ROWS else ""
    titles = [column["title"] for column in columns]
    return Grid("Rows", titles, shown, document.NO_ACTIVITY, note=note, numeric=_numeric(columns))


def _changes(told: dict[str, Any], before: Report) -> Grid:
    older, columns = document.read(bytes(Report.objects.get(pk=before.pk).content)), told["columns"]
    rows = [
        [
            html.badge("was" if change.removed else "is", "bad" if change.removed else "good"),
            *_cells(columns, change.row),
        ]
        for change in diff_rows(older, told)[:MOST_ROWS]
    ]
    headers = ["", *(column["title"] for column in columns)]
    empty = "The rows are the same."
    return Grid(f"Since version {before.version}", headers, rows, empty=empty, numeric=_numeric(columns))


def _numeric(columns: Sequence[dict[str, str]]) -> frozenset[str]:
    return frozenset(column["title"] for column in columns if column["kind"] in _NUMBERS)


def _versions(report: Report, versions: Sequence[Report]) -> Grid:
    rows = [
        (
            f"{each.version} (this)" if each.pk == report.pk else html.page("report", each.pk, str(each.version)),
            html.moment(each.generated_at),
            each.generated_by,
            f"#{each.position}",
            html.code(each.sha256),
        )
        for each in versions
    ]
    return Grid("Versions", ("Version", "Made (UTC)", "By", "As of", "SHA-256"), rows)


def _cells(columns: Sequence[dict[str, str]], row: Sequence[Any]) -> list[object]:
    return [_cell(cell, column["kind"]) for column, cell in zip(columns, row, strict=True)]


def _cell(cell: Any, kind: str) -> object:
    if cell is None or cell == "":
        return html.NOTHING
    if kind == ColumnType.MOMENT.value:
        return html.moment(datetime.fromisoformat(cell))
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"…{cell[-12:]}" if isinstance(cell, str) and len(cell) == 36 and cell.count("-") == 4 else cell
