"""The page on which a member of staff chooses the time zone of the admin's pages."""

from zoneinfo import available_timezones

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path

from casino.backoffice import scope
from casino.backoffice.forms import RowForm
from casino.backoffice.sections import FormSection
from casino.backoffice.site import StaffSite
from casino.staff.models import StaffTimeZone

_HELP = (
    "Times on all pages are shown in this zone, and pickers take them in it. Days, months and years of reports are "
    "those of the operator's time zone, and times in files are in UTC."
)


class TimeZoneForm(RowForm):
    zone = forms.ChoiceField(label="Time zone")

    def prepare(self) -> None:
        """Offer all zones, and begin with the current one."""
        choices = [(zone, zone.replace("_", " ")) for zone in sorted(available_timezones())]
        current = str(scope.time_zone(self.request))
        self.fields["zone"] = forms.ChoiceField(label="Time zone", choices=choices, initial=current)


def time_zone_page(request: HttpRequest) -> HttpResponse:
    """Show the form, and keep what is chosen."""
    form = TimeZoneForm(request.POST if request.method == "POST" else None, request=request, row=None)
    if isinstance(request.user, User) and form.is_valid():
        zone = form.cleaned_data["zone"]
        StaffTimeZone.objects.update_or_create(user=request.user, defaults={"name": zone})
        messages.success(request, f"Times are shown in {zone}.")
        return HttpResponseRedirect(request.path)
    section = FormSection(title="Time zone", url=request.path, form=form, label="Save", help_text=_HELP)
    context = {**admin.site.each_context(request), "title": "Your time zone", "sections": [section]}
    return TemplateResponse(request, "admin/casino/sections.html", context)


StaffSite.pages.append(path("time-zone/", admin.site.admin_view(time_zone_page), name="time_zone"))
