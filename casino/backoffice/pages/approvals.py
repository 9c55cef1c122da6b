"""The approvals inbox: everything that waits for a second person, on one page, for those who may decide it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from casino.backoffice import html, menu, scope
from casino.backoffice.columns import operator_link, with_names
from casino.backoffice.sections import Grid
from casino.backoffice.site import StaffSite
from casino.backoffice.subjects import subject_link, subject_names
from casino.operators import changes, memberships
from casino.operators.change import ChangeStatus
from casino.operators.models import Change
from wallet.models import Hold, Withdrawal

MAX_ROWS: Final = 25
"""Rows of each kind on the page, the oldest first; the list has all of them."""
DECIDE: Final = "operators.change_change"
HEADERS: Final = ("Request", "Operator", "Requested by", "Requested", "")


@dataclass(frozen=True, slots=True)
class ApprovalQueue:
    """One kind of request: the permission to decide it, those that wait, and how a request is described."""

    title: str
    permission: str
    rows: QuerySet[Any]
    describe: Callable[[Any], object]
    requester: Callable[[Any], str] = lambda row: row.requested_by
    requested_at: Callable[[Any], datetime | None] = lambda row: row.requested_at

    def grid(self, request: HttpRequest) -> Grid:
        """List the oldest requests; one by the reader says so, as another person has to decide it."""
        own = memberships.staff_actor(request.user)
        rows = with_names(scope.within(self.rows.order_by("pk"), request), "operator")[:MAX_ROWS]
        requesters = [self.requester(row) for row in rows]
        names = subject_names(requesters)
        cells = [
            (
                html.link(_address(row), self.describe(row)),
                operator_link(row),
                subject_link(requester, names) if requester else html.NOTHING,
                self.requested_at(row),
                html.badge("yours", "plain") if requester == own else html.badge("to decide", "warn"),
            )
            for row, requester in zip(rows, requesters, strict=True)
        ]
        return Grid(self.title, HEADERS, cells, empty="No request waits for approval.")


def _address(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[quote(row.pk)])  # noqa: SLF001  (Django's own name)


QUEUES: Final = (
    ApprovalQueue(
        "Withdrawals",
        "wallet.change_withdrawal",
        Withdrawal.objects.filter(status="requested"),
        lambda row: html.money(row.amount, row.currency),
        requester=lambda row: f"player:{row.player_id}",
    ),
    ApprovalQueue(
        "Held payments",
        "wallet.decide_hold",
        Hold.objects.filter(status="open"),
        lambda row: html.money(row.amount, row.currency),
        requester=lambda row: f"player:{row.player_id}",
        requested_at=lambda row: row.placed_at,
    ),
)


def approvals_page(request: HttpRequest) -> HttpResponse:
    """Show what waits, of the kinds that the user may decide. Raises PermissionDenied."""
    if not menu.may_decide(request):
        raise PermissionDenied
    queues = [queue for queue in (*QUEUES, _changes(request)) if request.user.has_perm(queue.permission)]
    context = {
        **admin.site.each_context(request),
        "title": "Approvals",
        "sections": [queue.grid(request) for queue in queues],
    }
    return TemplateResponse(request, "admin/casino/sections.html", context)


def _changes(request: HttpRequest) -> ApprovalQueue:
    """Return the changes that wait, of the kinds that the user may confirm."""
    kinds = [kind for kind in changes.kinds() if request.user.has_perm(changes.act_of(kind).name)]
    rows = Change.objects.filter(status=ChangeStatus.REQUESTED, kind__in=kinds)
    return ApprovalQueue("Changes", DECIDE, rows, lambda row: row.summary)


StaffSite.pages.append(path("approvals/", admin.site.admin_view(require_safe(approvals_page)), name="desk_approvals"))
