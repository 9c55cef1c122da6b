"""What counts as large, on an operator's page: shown to who may see significant events, set by who may set it."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from casino.backoffice import html, scope, staff_names
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.sections import Facts, Field, Form, Section
from casino.kernel import money
from casino.significant import thresholds
from casino.significant.models import Threshold
from casino.significant.thresholds import Thresholds

CHANGE: Final = "significant.add_threshold"
SEE: Final = "significant.view_threshold"
_LABELS: Final = {
    "wager": "Wagers of a player in one round",
    "wager_day": "Wagers of a player in a day",
    "win": "Won by a player in one round",
    "win_day": "Won by a player in a day",
    "payment": "One deposit or withdrawal",
}


@admin.register(Threshold)
class ThresholdAdmin(ReadOnlyAdmin):
    """What counted as large since when, newest first. Found by an operator's id."""

    list_display = ("operator", "currency", "made_by", "when")
    list_filter = (
        chosen(title="operator", parameter="operator", choices=scope.names, where=lambda value: Q(operator_id=value)),
    )
    ordering = ("-id",)
    search_help_text = "id of an operator"

    def found_by(self, term: str) -> Q | None:
        """Look for an operator's id."""
        identity = as_uuid(term)
        return None if identity is None else Q(operator_id=identity)

    @admin.display(description="operator")
    def operator(self, row: Threshold) -> object:
        return html.page("operator", row.operator_id, scope.slug(row.operator_id))

    @admin.display(description="set by")
    def made_by(self, row: Threshold) -> str:
        return staff_names.named(row.actor)

    @admin.display(description="set (UTC)")
    def when(self, row: Threshold) -> object:
        """When they were set."""
        return html.moment(row.at)

    def sections(self, request: HttpRequest, obj: Threshold) -> Sequence[Section]:
        del request
        amounts = [(label, html.money(getattr(obj, name), obj.currency)) for name, label in _LABELS.items()]
        return (Facts("Large from", [*amounts, ("Set by", obj.actor), ("Set (UTC)", html.moment(obj.at))]),)


def sections(request: HttpRequest, operator: UUID, currency: str, url: str) -> Sequence[Section]:
    """Show what counts as large for an operator, and the form that changes it, for those who may."""
    if not request.user.has_perm(SEE):
        return ()
    stand = thresholds.thresholds_for([(operator, currency)])[operator, currency]
    facts = [(label, html.money(getattr(stand, name), currency)) for name, label in _LABELS.items()]
    shown = Facts("Significant from these amounts on", facts)
    if not request.user.has_perm(CHANGE):
        return (shown,)
    asked = [Field(name, f"{label}, in {currency}", longest=20) for name, label in _LABELS.items()]
    return (shown, Form("Set other amounts", "Set", url, asked, "What is as much or more is a significant event."))


def change(request: HttpRequest, operator: UUID, currency: str) -> str:
    """Set what counts as large, as the form says. Raises ThresholdImpossible and refusals of amounts."""
    given = {
        field.name: money.parse_positive(request.POST.get(field.name, ""), currency) for field in fields(Thresholds)
    }
    by = f"staff:{request.user.pk}"
    thresholds.change(operator=operator, currency=currency, thresholds=Thresholds(**given), actor=by)
    return f"Large is what these amounts say from now on, in {currency}."
