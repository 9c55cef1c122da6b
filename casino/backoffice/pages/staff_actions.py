"""The audit trail of staff: what everybody did in the admin, with filters and an export."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from django.contrib import admin
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import URLPattern, path
from django.utils import timezone

from casino.api import downloads
from casino.api.downloads import ExportFormat
from casino.api.sheets import ColumnType, Sheet
from casino.backoffice import html, scope
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import column, time_column
from casino.backoffice.filters import SPANS, choice_filter
from casino.backoffice.pages.staff import EXPORT
from casino.backoffice.sections import Section
from casino.operators.memberships import colleagues_filter
from casino.operators.models import StaffMembership
from casino.staff.access_log import record_access

MAX_STAFF: Final = 200
"""The most members that the filter offers; others are found by their login."""
_KINDS: Final = {str(CHANGE): "Changed", str(ADDITION): "Added", str(DELETION): "Deleted"}
_COLUMNS: Final = {
    "time": ColumnType.TIMESTAMP,
    **dict.fromkeys(("login", "user_id", "kind", "page", "row", "row_id", "action"), ColumnType.TEXT),
}


def _colleagues(request: HttpRequest) -> Q:
    """Select the actions that the user may see: of those who work for the user's operators alone, and the user's own.

    Staff of all operators see everybody's: log entries name rows without their operator.
    """
    operators = scope.operators(request)
    if scope.are_all_operators(operators):
        return Q()
    return colleagues_filter(operators, "user_id") | Q(user_id=request.user.pk)


def _staff(request: HttpRequest) -> dict[str, str]:
    acted = LogEntry.objects.filter(_colleagues(request)).values("user_id")
    rows = User.objects.filter(pk__in=acted).order_by("username").values_list("pk", "username")
    return {str(key): login for key, login in rows[:MAX_STAFF]}


def _pages(request: HttpRequest) -> dict[str, str]:
    acted_on = LogEntry.objects.filter(_colleagues(request)).values("content_type_id")
    pages = [(str(each.pk), each.name) for each in ContentType.objects.filter(pk__in=acted_on)]
    return dict(sorted(pages, key=lambda page: page[1]))


def _as_date(term: str) -> date | None:
    try:
        return date.fromisoformat(term)
    except ValueError:
        return None


@admin.register(LogEntry)
class StaffActionAdmin(ReadOnlyAdmin):
    """Staff actions in the admin, newest first. Found by login, by day, or by the id of the row acted on."""

    list_display = ("time", "who", "what", "message")
    list_select_related = ("user", "content_type")
    list_filter = (
        choice_filter("staff", choices=_staff, where=lambda user: Q(user_id=user)),
        choice_filter(
            "operator",
            choices=scope.operator_slugs,
            where=lambda key: Q(user__in=StaffMembership.objects.filter(operator_id=key).values("user_id")),
        ),
        choice_filter("page", choices=_pages, where=lambda page: Q(content_type_id=page)),
        choice_filter("kind", choices=_KINDS, where=lambda flag: Q(action_flag=flag)),
        choice_filter(
            "time",
            parameter="within",
            choices={key: label for key, (label, _) in SPANS.items()},
            where=lambda key: Q(action_time__gte=timezone.now() - SPANS[key][1]),
        ),
    )
    list_link = ListLink("Export these:", "admin:admin_logentry_export", EXPORT, downloads.FILES)
    operator_field = None  # `get_queryset` selects
    search_help_text = "login, day such as 2026-11-24 (UTC), or id of what was changed"
    time = time_column("action_time", "time")
    who = column("staff", lambda entry: html.page("staff", entry.user_id, entry.user.get_username()))
    what = column("on", lambda entry: f"{entry.content_type or ''} {entry.object_repr}")
    message = column("action", lambda entry: entry.get_change_message() or entry.get_action_flag_display())

    def get_queryset(self, request: HttpRequest) -> QuerySet[LogEntry]:
        entries: QuerySet[LogEntry] = super().get_queryset(request)
        return entries.filter(_colleagues(request))

    def search_condition(self, term: str) -> Q | None:
        """Search for a day in UTC, a login, or the id of a row."""
        day = _as_date(term)
        if day is None:
            return Q(user__username=term) | Q(object_id=term)
        start = datetime(day.year, day.month, day.day, tzinfo=UTC)
        return Q(action_time__gte=start, action_time__lt=start + timedelta(days=1))

    def get_urls(self) -> list[URLPattern]:
        export = self.admin_site.admin_view(self.export)
        files = [
            path(f"staff-actions.{each}", export, {"file_format": each}, name="admin_logentry_export")
            for each in downloads.FILES
        ]
        return [*files, *super().get_urls()]

    def export(self, request: HttpRequest, file_format: ExportFormat) -> StreamingHttpResponse:
        """Return what the list shows with its filters and search, all pages, as a file. Raises PermissionDenied."""
        may_export = request.user.has_perm(EXPORT) and self.has_view_permission(request)
        if request.method != "GET" or not may_export:
            raise PermissionDenied
        record_access(request, subject="list:admin.logentry")
        rows = self.get_changelist_instance(request).queryset
        sheet = Sheet("Staff actions", _COLUMNS, map(_cells, rows.iterator(chunk_size=500)), keys=2)
        return downloads.download(sheet, file_format, scope.file_stem(request, "staff-actions"))

    def sections(self, _request: HttpRequest, obj: LogEntry) -> Sequence[Section]:
        return [
            self.facts(obj, "time", "who", "what", ("Id", html.code(obj.object_id)), "message", title="Staff action")
        ]


def _cells(row: LogEntry) -> Sequence[object]:
    return (
        row.action_time.replace(microsecond=0),
        row.user.get_username(),
        row.user_id,
        _KINDS[str(row.action_flag)],
        row.content_type,
        row.object_repr,
        row.object_id,
        row.get_change_message(),
    )
