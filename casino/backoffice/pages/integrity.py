"""Integrity of the installation: measurements of the running code, approved releases, clocks."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from casino.backoffice import html
from casino.backoffice.base import InstallationAdmin
from casino.backoffice.columns import column, status_column, time_column
from casino.backoffice.filters import case_filter, enum_filter
from casino.backoffice.sections import Facts, Grid, Section
from casino.compliance.attestation import AS_APPROVED, DIFFERS, NOT_APPROVED
from casino.compliance.models import Approval, ClockReading, Measurement

_TONES: Final = {AS_APPROVED: "good", NOT_APPROVED: "warn", DIFFERS: "bad"}
_DIGESTS: Final = ("code", "dependencies", "settings", "rules")


def _digests(row: Any, names: Sequence[str]) -> list[tuple[str, object]]:
    return [(name.capitalize(), html.code(getattr(row, name))) for name in names]


@admin.register(Measurement)
class MeasurementAdmin(InstallationAdmin):
    """What each process measured when it started, and every 24 hours; newest first."""

    list_display = ("number", "process", "result", "finding_count", "measured")
    list_filter = (enum_filter(_TONES, "verdict"),)
    number = column("number", lambda row: str(row.pk))
    result = status_column(_TONES, "verdict", "verdict")
    finding_count = column("findings", lambda row: str(len(row.findings)))
    measured = time_column("at", "measured")

    def sections(self, _request: HttpRequest, obj: Measurement) -> Sequence[Section]:
        """Show the digests and what differs."""
        facts = [("Process", obj.process), ("Verdict", self.result(obj)), ("Measured (UTC)", self.measured(obj))]
        findings = Grid("Differences", ("Finding",), [(finding,) for finding in obj.findings], empty="None.")
        return (Facts("Measurement", [*facts, *_digests(obj, _DIGESTS)]), findings)


@admin.register(Approval)
class ApprovalAdmin(InstallationAdmin):
    """Approved releases; the newest counts."""

    list_display = ("number", "by", "reason", "approved")
    number = column("number", lambda row: str(row.pk))
    approved = time_column("at", "approved")

    def sections(self, _request: HttpRequest, obj: Approval) -> Sequence[Section]:
        facts = (("By", obj.by), ("Reason", obj.reason), ("Approved (UTC)", self.approved(obj)))
        return (Facts("Approval", [*facts, *_digests(obj, _DIGESTS[:3])]),)


@admin.register(ClockReading)
class ClockReadingAdmin(InstallationAdmin):
    """Offsets of clocks from the database's, newest first."""

    list_display = ("number", "process", "host", "offset", "measured")
    list_filter = (case_filter("out_of_tolerance", {"yes": ("Beyond tolerance", Q(out_of_tolerance=True))}),)
    number = column("number", lambda row: str(row.pk))
    offset = column("offset", lambda row: html.badge(f"{row.offset_ms} ms", "bad" if row.out_of_tolerance else "good"))
    measured = time_column("at", "read")

    def sections(self, _request: HttpRequest, obj: ClockReading) -> Sequence[Section]:
        facts = (*self.facts(obj, "process", "host", "offset", "measured"),)
        return (Facts("Clock", facts),)
