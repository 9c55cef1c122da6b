"""The processes that run."""

from collections.abc import Sequence

from django.contrib import admin
from django.http import HttpRequest

from casino.alerts.heartbeats import DEAD_SECONDS
from casino.alerts.models import Heartbeat
from casino.backoffice import html
from casino.backoffice.base import ListLink, ReadOnlyAdmin
from casino.backoffice.columns import column, time_column
from casino.backoffice.sections import Section
from casino.events.sql import database_now


def _life(row: Heartbeat) -> str:
    silent = (database_now() - row.beat_at).total_seconds()
    return html.badge("dead", "bad") if silent > DEAD_SECONDS else html.badge("running", "good")


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """The processes that run, and those that died in the last ten minutes."""

    operator_field = None
    list_display = ("kind", "host", "pid", "state", "version", "started", "beat")
    ordering = ("kind", "host", "pid")
    search_fields = ("host",)
    search_help_text = "name of a host"
    list_link = ListLink("Runbook: what to do when something is wrong", "admin:runbook", "alerts.view_heartbeat")
    state = column("state", _life)
    started = time_column("started_at", "started")
    beat = time_column("beat_at", "last heartbeat")

    def sections(self, _request: HttpRequest, obj: Heartbeat) -> Sequence[Section]:
        return [self.facts(obj, *self.list_display)]
