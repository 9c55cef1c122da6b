"""Erasures of players' personal data: requested by one member of staff, decided by another."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from casino.backoffice import html, scope
from casino.backoffice.actions import row_action
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.columns import column, short_id_column, staff_column, time_column
from casino.backoffice.filters import case_filter, operator_filter
from casino.backoffice.sections import Facts, Section
from casino.compliance import erasure as erasures
from casino.compliance.models import Erasure
from casino.operators.memberships import staff_actor

APPROVE: Final = "compliance.approve_erasure"
_STATES: Final = {
    "waiting": ("Waiting", Q(decision=None)),
    "approved": ("Erased", Q(decision__approved=True)),
    "declined": ("Declined", Q(decision__approved=False)),
}
_TONES: Final = {"waiting": "warn", "approved": "bad", "declined": "plain"}


def _state(erasure: Erasure) -> str:
    decision = getattr(erasure, "decision", None)
    if decision is None:
        return "waiting"
    return "approved" if decision.approved else "declined"


def _may_decide(request: HttpRequest, erasure: Erasure) -> bool:
    return _state(erasure) == "waiting" and erasure.requested_by != staff_actor(request.user)


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    """Erasures, newest first. Found by id or player's id."""

    list_display = ("short_id", "status", "player", "operator", "reason_", "requester", "requested")
    list_filter = (case_filter("status", _STATES), operator_filter())
    list_select_related = ("decision",)
    ordering = ("-id",)
    search_help_text = "id or player's id"
    short_id = short_id_column()
    status = column("status", lambda row: html.badge(_STATES[_state(row)][0].lower(), _TONES[_state(row)]))
    player = column("player", lambda row: html.page("player", row.player_id, html.short(row.player_id)))
    operator = column("operator", lambda row: html.page("operator", row.operator_id, scope.slug(row.operator_id)))
    reason_ = column("reason", lambda row: row.reason.replace("_", " "))
    requester = staff_column("requested_by", "requested by")
    requested = time_column("requested_at", "requested")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("decision")

    def search_condition(self, term: str) -> Q | None:
        """Search for an id or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    @row_action(
        "Erase this player",
        title="Erase",
        permission=APPROVE,
        applies=_may_decide,
        tone="bad",
        help_text="This can't be undone: nobody can read this player's personal data again.",
    )
    def approve(self, request: HttpRequest, erasure: Erasure, _data: dict[str, Any]) -> str:
        """Erase the player."""
        erasures.approve(erasure=erasure.pk, by=staff_actor(request.user))
        return "Erased."

    @row_action("Decline", permission=APPROVE, applies=_may_decide)
    def decline(self, request: HttpRequest, erasure: Erasure, _data: dict[str, Any]) -> str:
        """Decline the erasure."""
        erasures.decline(erasure=erasure.pk, by=staff_actor(request.user))
        return "Declined."

    def sections(self, _request: HttpRequest, obj: Erasure) -> Sequence[Section]:
        """Show a request and its decision."""
        decision = getattr(obj, "decision", None)
        facts = (
            *self.facts(obj, "status", "player", "operator", "reason_"),
            ("Overrides the retention period", "yes" if obj.overrides_retention else "no"),
            *self.facts(obj, "requested_by", "requested"),
            ("Decided by", html.NOTHING if decision is None else decision.decided_by),
            ("Decided (UTC)", html.NOTHING if decision is None else html.moment(decision.decided_at)),
            ("Id", html.code(obj.pk)),
        )
        return (Facts("Erasure", facts),)
