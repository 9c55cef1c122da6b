"""The page that exports everything about an operator in a period, for a regulator."""

from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse

from casino.backoffice import html, scope
from casino.backoffice.forms import RowForm
from casino.backoffice.sections import FormSection, Grid
from casino.backoffice.site import StaffSite
from casino.compliance import data_exports
from casino.compliance.api import file_response
from casino.compliance.models import DataExport
from casino.operators.memberships import staff_actor
from casino.staff.access_log import record_access

EXPORT: Final = "compliance.export_operator"
_HELP: Final = (
    "A ZIP of CSV files: players, sessions, logins, chat, staff actions, rounds, wagers, money, reconciliation, cases, "
    "reports, rules and events. Personal texts are readable in it. The file is here for a day; "
    "downloads are in the access log."
)


class ExportForm(RowForm):
    operator = forms.ChoiceField(label="Operator")
    since = forms.DateField(label="First day (UTC)", widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label="Last day (UTC)", widget=forms.DateInput({"type": "date"}))

    workbooks = forms.BooleanField(label="Each file as XLSX, too", required=False, initial=True)

    def prepare(self) -> None:
        """Offer the operators that the user works for."""
        self.fields["operator"] = forms.ChoiceField(
            label="Operator", choices=list(scope.operator_slugs(self.request).items())
        )
        self.order_fields(["operator"])

    def clean(self) -> dict[str, Any]:
        """Turn the days into a period: from the beginning of the first to the end of the last."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        since, until = data.get("since"), data.get("until")
        if since is not None and until is not None:
            if until < since:
                self.add_error("until", "The period ends before it begins.")
            try:
                first, last = (datetime.combine(day, time(), tzinfo=UTC) for day in (since, until))
                data["period"] = (first, last + timedelta(days=1))
            except OverflowError:
                self.add_error("until", "Enter an earlier day.")
        return data


def export_page(request: HttpRequest) -> HttpResponseBase:
    """Show the form and the exports that are kept, and request one. Raises PermissionDenied."""
    if not request.user.has_perm(EXPORT):
        raise PermissionDenied
    form = ExportForm(request.POST if request.method == "POST" else None, request=request, row=None)
    if form.is_valid():
        since, until = form.cleaned_data["period"]
        data_exports.request_operator(
            operator=UUID(form.cleaned_data["operator"]),
            since=since,
            until=until,
            workbooks=form.cleaned_data["workbooks"],
            by=staff_actor(request.user),
        )
        messages.success(request, "Requested. The file is here once it is made, and for a day.")
        return HttpResponseRedirect(request.path)
    section = FormSection(title="Export for a regulator", url=request.path, form=form, label="Export", help_text=_HELP)
    context = {**admin.site.each_context(request), "title": section.title, "sections": [section, _list(request)]}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def export_file(request: HttpRequest) -> HttpResponseBase:
    """Return the file of an export, named in the query, and log the access. Raises PermissionDenied."""
    if not request.user.has_perm(EXPORT):
        raise PermissionDenied
    row = next((each for each in _rows(request) if str(each.pk) == request.GET.get("export") and each.ready_at), None)
    if row is None:
        return HttpResponseRedirect(reverse("admin:desk_export"))
    record_access(request, subject=f"operator:{row.operator_id}", operator=row.operator_id)
    return file_response(row, f"{_slug(request, row)}-export-{_days(row, '_')}.zip")


def _rows(request: HttpRequest) -> list[DataExport]:
    return data_exports.list_of_operators(list(map(UUID, scope.operator_slugs(request))))


def _list(request: HttpRequest) -> Grid:
    rows = [
        (
            _slug(request, row),
            _days(row, " to "),
            row.requested_at,
            html.with_logins(row.requested_by),
            export_link(row),
        )
        for row in _rows(request)
    ]
    return Grid("Exports of the last day", ("Operator", "Days (UTC)", "Requested", "By", "File"), rows)


def export_link(row: DataExport) -> object:
    """Link to the file of an export, or say that it is being made."""
    if row.ready_at is None:
        return "being made"
    page = reverse("admin:desk_export_file") if row.player_id is None else player_file(row.player_id)
    return html.link(f"{page}?export={row.pk}", f"download ({row.size:,} bytes)")


def player_file(player: UUID) -> str:
    """Return the address of the files of a player's exports."""
    return reverse("admin:operators_player_export", args=[player])


def _slug(request: HttpRequest, row: DataExport) -> str:
    return scope.operator_slugs(request)[str(row.operator_id)]


def _days(row: DataExport, between: str) -> str:
    if row.since is None or row.until is None:
        return ""
    return f"{row.since:%Y-%m-%d}{between}{row.until - timedelta(days=1):%Y-%m-%d}"


for _address, _view, _name in (
    ("operator-export/", export_page, "desk_export"),
    ("operator-export/file.zip", export_file, "desk_export_file"),
):
    StaffSite.pages.append(path(_address, admin.site.admin_view(_view), name=_name))
