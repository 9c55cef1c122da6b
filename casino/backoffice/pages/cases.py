"""Cases from reports and audits that a person must resolve."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from casino.backoffice import html, scope
from casino.backoffice.actions import row_action
from casino.backoffice.badges import resolved_cases
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.columns import column, staff_column, time_column
from casino.backoffice.filters import case_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import AssignForm, RowForm, text_field
from casino.backoffice.sections import Facts, Grid, Section
from casino.compliance import cases
from casino.compliance.models import Case, CaseAction
from casino.operators import memberships

WORK: Final = "compliance.resolve_case"
_TONES: Final = {None: "bad", cases.ASSIGNED: "warn", cases.RESOLVED: "good"}
_STATES: Final = {"waiting": ("Waiting", ~Q(resolved_cases())), "resolved": ("Resolved", Q(resolved_cases()))}


class ResolveForm(RowForm):
    """How a case was resolved."""

    resolution = text_field("What it was, and what was done about it", rows=3, required=False)


def _is_open(_request: HttpRequest, case: Any) -> bool:
    return bool(case.action != cases.RESOLVED)


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    """Cases, newest first; the filter `Waiting` is the queue."""

    list_display = ("title", "status", "subject", "operator", "owner_", "opened")
    list_filter = (operator_filter(), case_filter("status", _STATES), since_by_uuid())
    ordering = ("-id",)
    search_help_text = "id of a case"
    title = column("case", lambda case: case.kind.replace("_", " "))
    status = column("status", lambda case: html.badge(case.action or "open", _TONES[case.action]))
    operator = column("operator", lambda case: html.page("operator", case.operator_id, scope.slug(case.operator_id)))
    owner_ = staff_column("owner", "owner")
    opened = time_column("opened_at", "opened")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add the latest action."""
        return cases.with_latest_action(super().get_queryset(request))

    @row_action("Assign", permission=WORK, form=AssignForm, applies=_is_open)
    def assign(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        """Assign the case to an owner."""
        by = memberships.staff_actor(request.user)
        owner = data["owner"] or by
        cases.assign_case(case.pk, operator=case.operator_id, owner=owner, by=by)
        return f"Assigned to {owner}."

    @row_action("Resolve", permission=WORK, form=ResolveForm, applies=_is_open, tone="good")
    def resolve(self, request: HttpRequest, case: Case, data: dict[str, Any]) -> str:
        """Resolve the case."""
        by = memberships.staff_actor(request.user)
        cases.resolve_case(case.pk, operator=case.operator_id, resolution=data["resolution"], by=by)
        return "Resolved."

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show the findings and the actions."""
        kind, _, identity = obj.subject.partition(" ")[0].partition(":")
        facts = (
            *self.facts(obj, "title", "status"),
            ("About", html.page(kind, identity) if identity else obj.subject),
            *self.facts(obj, "subject", "operator", "owner_", "opened", "pk"),
        )
        details = [(name.replace("_", " "), str(value)) for name, value in obj.details.items()]
        rows = [
            (html.moment(action.at), action.action, action.owner, action.resolution or html.NOTHING, action.by)
            for action in CaseAction.objects.filter(case_id=obj.pk).order_by("number")
        ]
        history = Grid("History", ("Time (UTC)", "Action", "Owner", "Resolution", "By"), rows)
        return (Facts("Case", facts), Facts("Findings", details), history)
