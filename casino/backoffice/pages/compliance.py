"""Compliance: cases to resolve, erasures of personal data, and the integrity of the installation."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from casino.backoffice import html
from casino.backoffice.actions import RowAction
from casino.backoffice.columns import (
    InstallationAdmin,
    LabelledRowsAdmin,
    column,
    staff_column,
    status_column,
    time_column,
)
from casino.backoffice.filters import case_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import AssignForm, RowForm, text_field
from casino.backoffice.sections import Facts, Grid, Section
from casino.compliance import cases, erasure
from casino.compliance.attestation import AS_APPROVED, DIFFERS, NOT_APPROVED
from casino.compliance.models import Approval, Case, CaseAction, ClockReading, Erasure, Measurement
from casino.operators import memberships

APPROVE_ERASURE: Final = "compliance.approve_erasure"
_ERASURE_STATES: Final = {
    "waiting": ("Waiting", Q(decision=None)),
    "approved": ("Erased", Q(decision__approved=True)),
    "declined": ("Declined", Q(decision__approved=False)),
}
_ERASURE_TONES: Final = {"waiting": "warn", "approved": "bad", "declined": "plain"}
RESOLVE_CASE: Final = "compliance.resolve_case"
_CASE_TONES: Final = {None: "bad", cases.ASSIGNED: "warn", cases.RESOLVED: "good"}
_CASE_STATES: Final = {
    "waiting": ("Waiting", ~Q(cases.is_resolved())),
    "resolved": ("Resolved", Q(cases.is_resolved())),
}
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

    names = ("operator",)
    list_display = ("short_id", "status", "player", "operator", "reason_", "requester", "requested")
    list_filter = (case_filter("status", _ERASURE_STATES), operator_filter())
    list_select_related = ("decision",)
    search_fields = ("pk", "player_id")
    search_help_text = "id or player's id"
    status = column(
        "status",
        lambda row: html.badge(_ERASURE_STATES[_erasure_state(row)][0].lower(), _ERASURE_TONES[_erasure_state(row)]),
    )
    player = column("player", lambda row: html.page("player", row.player_id, html.short(row.player_id)))
    reason_ = column("reason", lambda row: row.reason.replace("_", " "))
    requester = staff_column("requested_by", "requested by")
    requested = time_column("requested_at", "requested")

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
            ("Decided (UTC)", decision and decision.decided_at),
            "pk",
        )
        return (facts,)


class ResolveForm(RowForm):
    resolution = text_field("What it was, and what was done about it", rows=3, required=False)


def _is_unresolved(_request: HttpRequest, case: Any) -> bool:
    return bool(case.action != cases.RESOLVED)


@admin.register(Case)
class CaseAdmin(LabelledRowsAdmin):
    """Cases, newest first; the filter `Waiting` is the queue."""

    names = ("operator",)
    list_display = ("title", "status", "subject", "operator", "owner_", "opened")
    list_filter = (operator_filter(), case_filter("status", _CASE_STATES), since_by_uuid())
    search_help_text = "id of a case"
    title = column("case", lambda case: case.kind.replace("_", " "))
    status = column("status", lambda case: html.badge(case.action or "open", _CASE_TONES[case.action]))
    owner_ = staff_column("owner", "owner")
    opened = time_column("opened_at", "opened")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return cases.with_latest_action(super().get_queryset(request))

    @RowAction("Assign", permission=RESOLVE_CASE, form=AssignForm, applies=_is_unresolved)
    def assign(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        owner = data["owner"] or by
        cases.assign_case(case.pk, operator=case.operator_id, owner=owner, by=by)
        return f"Assigned to {owner}."

    @RowAction("Resolve", permission=RESOLVE_CASE, form=ResolveForm, applies=_is_unresolved, tone="good")
    def resolve(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        cases.resolve_case(case.pk, operator=case.operator_id, resolution=data["resolution"], by=by)
        return "Resolved."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        kind, _, identity = obj.subject.partition(" ")[0].partition(":")
        about = ("About", html.page(kind, identity) if identity else obj.subject)
        facts = self.facts(obj, "title", "status", about, "subject", "operator", "owner_", "opened", "pk")
        details = [(name.replace("_", " "), str(value)) for name, value in obj.details.items()]
        rows = [
            (action.at, action.action, action.owner, action.resolution, action.by)
            for action in CaseAction.objects.filter(case_id=obj.pk).order_by("number")
        ]
        history = Grid("History", ("Time (UTC)", "Action", "Owner", "Resolution", "By"), rows)
        return (facts, Facts("Findings", details), history)


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
        facts = self.facts(obj, "process", "result", "measured", *_digests(obj, _DIGESTS), title="Measurement")
        findings = Grid("Differences", ("Finding",), [(finding,) for finding in obj.findings], empty="None.")
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

    def sections(self, _request: HttpRequest, obj: ClockReading) -> Sequence[Section]:
        return [self.facts(obj, "process", "host", "offset", "measured", title="Clock")]
