"""What picker fields offer: rows that the user may see, found as on their pages, tables also by a part of a name."""

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.http import require_safe

from baccarat.storage.models import Wager
from casino.backoffice import html, scope
from casino.backoffice.base import as_uuid
from casino.backoffice.pages import search
from casino.backoffice.picker import ANYTHING, pages, visible_names
from casino.backoffice.site import StaffSite
from casino.staff.access_log import record_access

MAX_OFFERED: Final = 12
"""Rows of one kind."""


def pick(request: HttpRequest) -> JsonResponse:
    """Return what Django's autocomplete shows for a term; without one, what a player played and paid last."""
    kinds = [kind for kind in request.GET.get("kinds", "").split(",") if kind in ANYTHING]
    term, player = request.GET.get("term", "").strip(), as_uuid(request.GET.get("player", ""))
    if term:
        subjects = [subject for kind in kinds for subject in _search(request, kind, term)]
    else:
        subjects = [] if player is None else list(_latest(request, player))
    names = visible_names(subjects)
    if names:
        record_access(request, subject="search" if player is None else f"player:{player}")
    offered = [
        {"id": subject if len(kinds) > 1 else subject.partition(":")[2], "text": names[subject]}
        for subject in subjects
        if subject in names
    ]
    return JsonResponse({"results": offered, "pagination": {"more": False}})


def _search(request: HttpRequest, kind: str, term: str) -> Iterator[str]:
    page = pages().get(kind)
    if page is None or not page.has_view_permission(request):
        return
    rows = page.get_queryset(request)
    results, _ = page.get_search_results(request, rows, term)
    if kind == "table":
        results = rows.filter(Q(name__icontains=term) | Q(pk__in=results.values("pk")))
    for key in results.order_by("-pk").values_list("pk", flat=True)[:MAX_OFFERED]:
        yield f"{kind}:{key}"


def _latest(request: HttpRequest, player: UUID) -> Iterator[str]:
    def select(rows: QuerySet[Any]) -> QuerySet[Any]:
        return scope.within(rows.filter(player_id=player), request)

    for kind, row in search.payments(request, select, MAX_OFFERED)[:MAX_OFFERED]:
        yield f"{kind}:{row.pk}"
    if scope.has_view_permission(request, html.PAGES["round"]):
        wagers = select(Wager.objects.order_by("-round_id"))
        for key in wagers.values_list("round_id", flat=True)[:MAX_OFFERED]:
            yield f"round:{key}"


StaffSite.pages.append(path("pick/", admin.site.admin_view(require_safe(pick)), name="desk_pick"))
