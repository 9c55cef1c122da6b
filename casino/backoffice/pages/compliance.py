"""Compliance: erasures of personal data, and the integrity of the installation."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from casino.backoffice import html
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
from casino.compliance.attestation import AS_APPROVED, DIFFERS, NOT_APPROVED
from casino.compliance.models import Approval, ClockReading, Erasure, Measurement

_TONES: Final = {AS_APPROVED: "good", NOT_APPROVED: "warn", DIFFERS: "bad"}
_DIGESTS: Final = ("code", "dependencies", "settings", "rules")


@admin.register(Erasure)
class ErasureAdmin(LabelledRowsAdmin):
    """Erasures, newest first; those that wait for another person are changes. Found by id or player's id."""

    list_display = ("short_id", "player", "operator", "reason_", "requester", "erased")
    list_filter = (operator_filter(),)
    search_fields = ("pk", "player_id")
    search_help_text = "id or player's id"
    reason_ = column("reason", lambda row: row.reason.replace("_", " "))
    requester = staff_column("requested_by", "requested by")
    erased = time_column("erased_at", "erased")

    def title_of(self, obj: Any) -> str:
        return f"Erasure of {name_of_player(obj)}"

    def sections(self, _request: HttpRequest, obj: Erasure) -> Sequence[Section]:
        facts = self.facts(
            obj,
            *("player", "operator", "reason_"),
            ("Overrides the retention period", "yes" if obj.overrides_retention else "no"),
            *("requested_by", "approved_by", "erased"),
            ("Change", html.page("change", obj.pk)),
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

    list_display = ("number", "by_", "reason", "approved")
    by_ = staff_column("by", "by")
    approved = time_column("at", "approved")

    def sections(self, _request: HttpRequest, obj: Approval) -> Sequence[Section]:
        return [self.facts(obj, "by_", "reason", "approved", *_digests(obj, _DIGESTS[:3]), title="Approval")]


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
