"""Who can do what, by act and by person, as a page and as a file for a regulator."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from casino.backoffice import html, scope
from casino.backoffice.pages.staff import EXPORT
from casino.backoffice.sections import Grid
from casino.backoffice.site import StaffSite
from casino.staff import access_review, duties
from casino.staff.access_log import record_access
from casino.staff.access_review import Holder
from casino.staff.duties import Act, DutySide


def _may_see(request: HttpRequest) -> list[Holder]:
    if not request.user.has_perm(EXPORT):
        raise PermissionDenied
    record_access(request, subject="list:staff.duties")
    return access_review.holders(scope.operators(request))


@require_safe
def duties_page(request: HttpRequest) -> HttpResponseBase:
    """Show who can do what, for the operators of the user. Raises PermissionDenied."""
    holders = _may_see(request)
    by_act = [(act.what, act.side, _persons(act), act.holders, _names(act, holders)) for act in duties.acts()]
    by_person = [
        (each.holder, each.name, ", ".join(each.roles), ", ".join(each.operators), _acts(each)) for each in holders
    ]
    context = {
        **admin.site.each_context(request),
        "title": "Who can do what",
        "sections": [
            Grid(
                "By act",
                ("May", "DutySide", "Persons, at a live operator", "Roles", "Held by"),
                by_act,
                note=html.link(reverse("admin:desk_duties_file"), "As CSV"),
            ),
            Grid("By person and key", ("Login or key", "Name", "Roles or scopes", "Operators", "May"), by_person),
        ],
    }
    return TemplateResponse(request, "admin/casino/sections.html", context)


@require_safe
def duties_file(request: HttpRequest) -> HttpResponseBase:
    """Return who can do what as CSV. Raises PermissionDenied."""
    lines = access_review.holders_as_csv(_may_see(request))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="who-can-do-what.csv"'
    return response


def _persons(act: Act) -> str:
    more = f"; one more {act.one_more}" if act.one_more else ""
    return f"{act.persons}{more}{', after a day' if act.delayed else ''}"


def _names(act: Act, holders: list[Holder]) -> str:
    return ", ".join(each.holder for each in holders if act in each.acts) or "nobody"


def _acts(holder: Holder) -> str:
    """Return what somebody may do, by side."""
    by_side = ((side, [act.what for act in holder.acts if act.side is side]) for side in DutySide)
    return "; ".join(f"{side}: {', '.join(acts)}" for side, acts in by_side if acts) or "look, and no more"


StaffSite.pages += [
    path("duties/", admin.site.admin_view(duties_page), name="desk_duties"),
    path("duties.csv", admin.site.admin_view(duties_file), name="desk_duties_file"),
]
