"""What was measured and approved, and the clocks, as staff see them: all read only."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_number
from casino.backoffice.filters import chosen
from casino.backoffice.sections import Facts, Grid, Section
from casino.compliance.attestation import AS_APPROVED, DIFFERS, NOT_APPROVED
from casino.compliance.integrity_models import Approval, ClockReading, Measurement

_TONES = {AS_APPROVED: "good", NOT_APPROVED: "warn", DIFFERS: "bad"}
_VERDICTS = {verdict: verdict.replace("_", " ").capitalize() for verdict in _TONES}
_DIGESTS = ("code", "dependencies", "settings", "rules")


class HouseAdmin(ReadOnlyAdmin):
    """Base of what is of the whole installation: whoever may see it sees all of it."""

    ordering = ("-id",)
    search_help_text = "number"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Leave nothing out."""
        del operators
        return Q()

    def found_by(self, term: str) -> Q | None:
        """Look for a number."""
        number = as_number(term)
        return None if number is None else Q(pk=number)


@admin.register(Measurement)
class MeasurementAdmin(HouseAdmin):
    """What processes found when they started, and every 24 hours; newest first."""

    list_display = ("title", "process", "stands", "told", "when")
    list_filter = (
        chosen(title="verdict", parameter="verdict", choices=_VERDICTS, where=lambda value: Q(verdict=value)),
    )

    @admin.display(description="number")
    def title(self, row: Measurement) -> str:
        return str(row.pk)

    @admin.display(description="verdict")
    def stands(self, row: Measurement) -> SafeString:
        return html.badge(row.verdict.replace("_", " "), _TONES.get(row.verdict, "plain"))

    @admin.display(description="findings")
    def told(self, row: Measurement) -> str:
        """How many there are."""
        return str(len(row.findings))

    @admin.display(description="measured (UTC)")
    def when(self, row: Measurement) -> SafeString | str:
        return html.moment(row.at)

    def sections(self, request: HttpRequest, obj: Measurement) -> Sequence[Section]:
        """Show the digests, and what differs."""
        del request
        facts = [("Process", obj.process), ("Verdict", self.stands(obj)), ("Measured (UTC)", self.when(obj))]
        digests = [(name.capitalize(), html.code(getattr(obj, name))) for name in _DIGESTS]
        findings = Grid("What differs", ("Finding",), [(each,) for each in obj.findings], empty="Nothing.")
        return (Facts("Measurement", [*facts, *digests]), findings)


@admin.register(Approval)
class ApprovalAdmin(HouseAdmin):
    """What was approved by whom; the newest counts."""

    list_display = ("title", "by", "reason", "when")

    @admin.display(description="number")
    def title(self, row: Approval) -> str:
        return str(row.pk)

    @admin.display(description="approved (UTC)")
    def when(self, row: Approval) -> SafeString | str:
        return html.moment(row.at)

    def sections(self, request: HttpRequest, obj: Approval) -> Sequence[Section]:
        del request
        digests: list[tuple[str, Any]] = [(name.capitalize(), html.code(getattr(obj, name))) for name in _DIGESTS[:3]]
        return (Facts("Approval", [("By", obj.by), ("Why", obj.reason), ("Approved (UTC)", self.when(obj)), *digests]),)


@admin.register(ClockReading)
class ClockReadingAdmin(HouseAdmin):
    """How far clocks were from the database's, newest first."""

    list_display = ("title", "process", "host", "apart", "when")
    list_filter = (
        chosen(
            title="offset",
            parameter="out_of_tolerance",
            choices={"yes": "Beyond tolerance"},
            where=lambda _: Q(out_of_tolerance=True),
        ),
    )

    @admin.display(description="number")
    def title(self, row: ClockReading) -> str:
        return str(row.pk)

    @admin.display(description="offset")
    def apart(self, row: ClockReading) -> SafeString:
        """How far, and whether that is too far."""
        return html.badge(f"{row.offset_ms} ms", "bad" if row.out_of_tolerance else "good")

    @admin.display(description="read (UTC)")
    def when(self, row: ClockReading) -> SafeString | str:
        return html.moment(row.at)

    def sections(self, request: HttpRequest, obj: ClockReading) -> Sequence[Section]:
        del request
        facts = (
            ("Process", obj.process),
            ("Host", obj.host),
            ("Offset", self.apart(obj)),
            ("Read (UTC)", self.when(obj)),
        )
        return (Facts("Clock", facts),)
