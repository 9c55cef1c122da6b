"""Who can do what, by act and by person, as a page and as a file for a regulator."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from casino.api import downloads
from casino.api.downloads import ExportFormat
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
                ("May", "Side", "Persons, at a live operator", "Roles", "Held by"),
                by_act,
                note=_files(),
            ),
            Grid("By person and key", ("Login or key", "Name", "Roles or scopes", "Operators", "May"), by_person),
        ],
    }
    return TemplateResponse(request, "admin/casino/sections.html", context)


@require_safe
def duties_file(request: HttpRequest, file_format: ExportFormat) -> HttpResponseBase:
    """Return who can do what as a file. Raises PermissionDenied."""
    sheet = access_review.holders_sheet(_may_see(request))
    return downloads.download(sheet, file_format, scope.file_stem(request, "who-can-do-what"))


def _files() -> SafeString:
    urls = ((each, reverse("admin:desk_duties_file", kwargs={"file_format": each})) for each in downloads.FILES)
    return SafeString(" ".join(html.link(url, each.upper()) for each, url in urls))


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
    *(
        path(f"duties.{each}", admin.site.admin_view(duties_file), {"file_format": each}, name="desk_duties_file")
        for each in downloads.FILES
    ),
]
