"""The page of the system's own records, which a desk opens only when something is wrong with them."""

from datetime import datetime
from typing import Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.views.decorators.http import require_safe

from casino.alerts.models import Heartbeat
from casino.backoffice import html, scope
from casino.backoffice.sections import Grid
from casino.backoffice.site import StaffSite
from casino.checkpoints.models import Checkpoint
from casino.compliance.models import Approval, ClockReading, Measurement
from casino.events.models import ChainHead, Event

PARTS: Final = (
    ("alerts_heartbeat", "Processes", "Which processes run, and since when.", Heartbeat, "beat_at"),
    ("events_event", "Events", "Every event of every stream, with its place in the log.", Event, "recorded_at"),
    ("events_chainhead", "Chain heads", "The head of the log after each pass of the sealer.", ChainHead, "sealed_at"),
    (
        "checkpoints_checkpoint",
        "Checkpoints",
        "Signed roots of the log, with the cosignatures of others.",
        Checkpoint,
        "made_at",
    ),
    ("events_subscription", "Subscribers", "How far each reader of the log has come.", None, ""),
    (
        "compliance_measurement",
        "Integrity",
        "Code, dependencies and settings of each process, as measured.",
        Measurement,
        "at",
    ),
    (
        "compliance_approval",
        "Approved releases",
        "The code, dependencies and settings that persons approved.",
        Approval,
        "at",
    ),
    ("compliance_clockreading", "Clocks", "How far the clocks of our machines are apart.", ClockReading, "at"),
)


def system_page(request: HttpRequest) -> HttpResponse:
    """List the system's own records that the user may see, each with its newest. Raises PermissionDenied."""
    seen = [part for part in PARTS if scope.has_view_permission(request, part[0])]
    if not seen:
        raise PermissionDenied
    rows = [
        (html.listing(name, title), text, None if model is None else _newest(model, field))
        for name, title, text, model, field in seen
    ]
    grid = Grid("System", ("Records", "What they are", "Newest"), rows)
    context = {**admin.site.each_context(request), "title": "System", "sections": [grid]}
    return TemplateResponse(request, "admin/casino/sections.html", context)


def _newest(model: type[Model], field: str) -> datetime | None:
    return model._default_manager.order_by("-pk").values_list(field, flat=True).first()  # noqa: SLF001  (Django's own name)


StaffSite.pages.append(path("system/", admin.site.admin_view(require_safe(system_page)), name="desk_system"))
