"""Compliance: erasures of personal data, and the integrity of the installation."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from casino.backoffice import html
from casino.backoffice.actions import RowAction
from casino.backoffice.columns import (
    InstallationAdmin,
    LabelledRowsAdmin,
    column,
    name_of_player,
    staff_column,
    status_column,
    time_column,
)
from casino.backoffice.filters import case_filter, enum_filter, operator_filter
from casino.backoffice.sections import Grid, Section
from casino.compliance import erasure
from casino.compliance.attestation import AS_APPROVED, DIFFERS, NOT_APPROVED
from casino.compliance.models import Approval, ClockReading, Erasure, Measurement
from casino.operators import memberships

APPROVE_ERASURE: Final = "compliance.approve_erasure"
_ERASURE_STATES: Final = {
    "waiting": ("Waiting", Q(decision=None)),
    "approved": ("Erased", Q(decision__approved=True)),
    "declined": ("Declined", Q(decision__approved=False)),
}
_ERASURE_TONES: Final = {"waiting": "warn", "approved": "bad", "declined": "plain"}
_TONES: Final = {AS_APPROVED: "good", NOT_APPROVED: "warn", DIFFERS: "bad"}
_DIGESTS: Final = ("code", "dependencies", "settings", "rules")


def _erasure_state(row: Erasure) -> str:
    decision = getattr(row, "decision", None)
    if decision is None:
        return "waiting"
    return "approved" if decision.approved else "declined"


def _may_decide(request: HttpRequest, row: Erasure) -> bool:
    return _erasure_state(row) == "waiting" and row.requested_by != memberships.staff_actor(request.user)


@admin.register(Erasure)
class ErasureAdmin(LabelledRowsAdmin):
    """Erasures, newest first. Found by id or player's id."""

    list_display = ("short_id", "status", "player", "operator", "reason_", "requester", "requested")
    list_filter = (case_filter("status", _ERASURE_STATES), operator_filter())
    list_select_related = ("decision",)
    search_fields = ("pk", "player_id")
    search_help_text = "id or player's id"
    status = column(
        "status",
        lambda row: html.badge(_ERASURE_STATES[_erasure_state(row)][0].lower(), _ERASURE_TONES[_erasure_state(row)]),
    )
    reason_ = column("reason", lambda row: row.reason.replace("_", " "))
    requester = staff_column("requested_by", "requested by")
    requested = time_column("requested_at", "requested")

    def title_of(self, obj: Any) -> str:
        return f"Erasure of {name_of_player(obj)}"

    @RowAction(
        "Erase this player",
        title="Erase",
        permission=APPROVE_ERASURE,
        applies=_may_decide,
        tone="bad",
        help_text="This can't be undone: nobody can read this player's personal data again.",
    )
    def approve(self, request: HttpRequest, row: Erasure, _data: dict[str, Any]) -> str:
        erasure.approve(erasure=row.pk, by=memberships.staff_actor(request.user))
        return "Erased."

    @RowAction("Decline", permission=APPROVE_ERASURE, applies=_may_decide)
    def decline(self, request: HttpRequest, row: Erasure, _data: dict[str, Any]) -> str:
        erasure.decline(erasure=row.pk, by=memberships.staff_actor(request.user))
        return "Declined."

    def sections(self, _request: HttpRequest, obj: Erasure) -> Sequence[Section]:
        decision = getattr(obj, "decision", None)
        facts = self.facts(
            obj,
            *("status", "player", "operator", "reason_"),
            ("Overrides the retention period", "yes" if obj.overrides_retention else "no"),
            *("requested_by", "requested"),
            ("Decided by", decision and decision.decided_by),
            ("Decided", decision and decision.decided_at),
            "pk",
        )
        return (facts,)


def _digests(row: Any, names: Sequence[str]) -> list[tuple[str, object]]:
    return [(name.capitalize(), html.code(getattr(row, name))) for name in names]


@admin.register(Measurement)
class MeasurementAdmin(InstallationAdmin):
    """Measurements of each process, at its start and every 24 hours, newest first."""

    list_display = ("number", "process", "result", "finding_count", "measured")
    list_filter = (enum_filter(_TONES, "verdict"),)
    result = status_column(_TONES, "verdict", "verdict")
    finding_count = column("findings", lambda row: str(len(row.findings)))
    measured = time_column("at", "measured")

    def sections(self, _request: HttpRequest, obj: Measurement) -> Sequence[Section]:
        facts = self.facts(obj, "process", "result", "measured", *_digests(obj, _DIGESTS), title="Integrity check")
        findings = Grid("Differences", ("Finding",), [(finding,) for finding in obj.findings], empty="No difference.")
        return (facts, findings)


@admin.register(Approval)
class ApprovalAdmin(InstallationAdmin):
    """Approved releases; the newest counts."""

    list_display = ("number", "by", "reason", "approved")
    approved = time_column("at", "approved")

    def sections(self, _request: HttpRequest, obj: Approval) -> Sequence[Section]:
        return [self.facts(obj, "by", "reason", "approved", *_digests(obj, _DIGESTS[:3]), title="Approval")]


@admin.register(ClockReading)
class ClockReadingAdmin(InstallationAdmin):
    """Offsets of clocks from the database's, newest first."""

    list_display = ("number", "process", "host", "offset", "measured")
    list_filter = (case_filter("out_of_tolerance", {"yes": ("Beyond tolerance", Q(out_of_tolerance=True))}),)
    offset = column("offset", lambda row: html.badge(f"{row.offset_ms} ms", "bad" if row.out_of_tolerance else "good"))
    measured = time_column("at", "read")

    def title_of(self, obj: ClockReading) -> str:
        return f"Clock of {obj.process} on {obj.host}"

    def sections(self, _request: HttpRequest, obj: ClockReading) -> Sequence[Section]:
        return [self.facts(obj, "process", "host", "offset", "measured", title="Clock")]
