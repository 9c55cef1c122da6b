"""The page where staff have a report made: which, of when, and of which of their operators."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from casino.backoffice import scope
from casino.backoffice.sections import Field, Form
from casino.kernel.errors import Refusal
from casino.operators import memberships
from casino.operators.models import Operator
from casino.reports import generation, registry
from casino.reports.intervals import Interval, ReportPeriod, between, lifetime_interval, period_interval
from casino.reports.refusals import IntervalInvalid

MAKE: Final = "reports.export_report"


def make_view(request: HttpRequest) -> HttpResponse:
    """Show the form, and have the report made that is asked for by it."""
    if not request.user.has_perm(MAKE):
        raise PermissionDenied
    operators = scope.within(Operator.objects.order_by("slug"), request, "id")
    if request.method == "POST":
        whose = operators.filter(slug=request.POST.get("operator", "")).first()
        if whose is None:
            raise PermissionDenied
        try:
            interval = interval_of(request.POST, zone=whose.time_zone)
            name, by = request.POST.get("name", ""), memberships.staff_actor(request.user)
            made = generation.generate_report(operator=whose.id, name=name, interval=interval, by=by)
        except Refusal as refusal:
            messages.error(request, refusal.message())
        else:
            return HttpResponseRedirect(reverse("admin:reports_report_change", args=[made.pk]))
    slugs = [(slug, slug) for slug in operators.values_list("slug", flat=True)]
    context = {**admin.site.each_context(request), "title": "Have a report made", "sections": [_form(slugs)]}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def interval_of(given: Mapping[str, str], *, zone: str) -> Interval:
    """Read an interval as the form says it. Raises IntervalInvalid."""
    try:
        period = ReportPeriod(given.get("period", ""))
        if period is ReportPeriod.LIFE:
            return lifetime_interval(until=timezone.now(), zone=zone)
        if period is ReportPeriod.INTERVAL:
            return between(since=_moment(given["since"]), until=_moment(given["until"]), zone=zone)
        return period_interval(period, day=date.fromisoformat(given["date"].strip()), zone=zone)
    except (KeyError, ValueError, OverflowError):
        raise IntervalInvalid from None


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text.strip())
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _form(slugs: list[tuple[str, str]]) -> Form:
    fields = (
        Field("operator", "Operator", choices=slugs),
        Field("name", "Report", choices=[(name, each.title) for name, each in registry.report_definitions().items()]),
        Field("period", "Period", choices=[(period.value, period.value.capitalize()) for period in ReportPeriod]),
        Field("date", "A day in it, such as 2026-11-20 (for a day, month or year)", required=False, longest=10),
        Field("since", "From, such as 2026-11-20 09:00 in UTC (for an interval)", required=False, longest=32),
        Field("until", "To, not included (for an interval)", required=False, longest=32),
    )
    says = "Days are those of the operator's time zone. A version that would say the same as the last one is not made."
    return Form("Have a report made", "Make it", reverse("admin:reports_report_make"), fields, says)
