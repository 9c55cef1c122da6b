"""The page that exports everything about an operator in a period, for a regulator."""

from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone

from casino.backoffice import scope
from casino.backoffice.forms import RowForm
from casino.backoffice.sections import FormSection
from casino.backoffice.site import StaffSite
from casino.compliance import exports
from casino.operators.models import Operator
from casino.staff.access_log import record_access

EXPORT: Final = "compliance.export_operator"
_HELP: Final = (
    "A ZIP of CSV files: players, sessions, logins, chat, staff actions, rounds, wagers, money, reconciliation, cases, "
    "reports, rules and events. Personal texts are readable in it. The download is in the access log."
)


class ExportForm(RowForm):
    operator = forms.ChoiceField(label="Operator")
    since = forms.DateField(label="First day (UTC)", widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label="Last day (UTC)", widget=forms.DateInput({"type": "date"}))

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
    """Show the form, and stream the export. Raises PermissionDenied."""
    if not request.user.has_perm(EXPORT):
        raise PermissionDenied
    form = ExportForm(request.POST if request.method == "POST" else None, request=request, row=None)
    if form.is_valid():
        operator = Operator.objects.get(pk=form.cleaned_data["operator"])
        since, until = form.cleaned_data["period"]
        record_access(request, subject=f"operator:{operator.pk}", operator=operator.pk)
        pieces = exports.export_operator(operator=operator.pk, since=since, until=until, now=timezone.now())
        name = f"{operator.slug}-export-{since:%Y-%m-%d}-{until - timedelta(days=1):%Y-%m-%d}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(pieces, content_type="application/zip", headers=headers)
    section = FormSection(title="Export for a regulator", url=request.path, form=form, label="Export", help_text=_HELP)
    context = {**admin.site.each_context(request), "title": section.title, "sections": [section]}
    return TemplateResponse(request, "admin/casino/sections.html", context)


StaffSite.pages.append(path("operator-export/", admin.site.admin_view(export_page), name="desk_export"))
