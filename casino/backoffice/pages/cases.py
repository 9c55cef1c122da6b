"""What reports found that needs a person, as staff work on it: a queue, an owner, a resolution in words."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from casino.backoffice import html, scope, staff_names
from casino.backoffice.badges import Waiting
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Facts, Field, Form, Grid, Section
from casino.compliance import cases
from casino.operators import memberships
from casino.reports import queries
from casino.reports.models import Case, CaseAction

WORK: Final = "reports.acknowledge_matter"
_TONES: Final = {None: "bad", cases.ASSIGNED: "warn", cases.RESOLVED: "good"}


def _resolved() -> Exists:
    return Exists(CaseAction.objects.filter(case_id=OuterRef("pk"), action=cases.RESOLVED))


waiting: Final = Waiting("reports.view_case", lambda: Case.objects.filter(~_resolved()))
"""Matters that nobody has resolved, for the side bar."""


@admin.register(Case)
class MatterAdmin(ReadOnlyAdmin):
    """Matters, newest first; `waiting` is the queue. Found by id."""

    list_display = ("title", "standing", "subject", "operator", "owner_", "when")
    list_filter = (
        operator_filter(),
        chosen(
            title="standing",
            parameter="standing",
            choices={"waiting": "Waits for somebody", "resolved": "Resolved"},
            where=lambda value: Q(_resolved()) if value == "resolved" else ~Q(_resolved()),
        ),
        since_by_uuid(),
    )
    ordering = ("-id",)
    search_help_text = "id of a matter"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add what was done last."""
        return queries.with_latest_action(super().get_queryset(request))

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `assign` and `resolve`."""
        return [
            self.perform_path("assign", WORK, self.assign),
            self.perform_path("resolve", WORK, self.resolve),
            *super().get_urls(),
        ]

    def assign(self, request: HttpRequest, matter: Case) -> str:
        """Give it to an owner, or to who presses. Raises the refusals of `matters.assign`."""
        by = memberships.staff_actor(request.user)
        owner = request.POST.get("owner", "").strip()[:60] or by
        cases.assign_case(matter.pk, operator=matter.operator_id, owner=owner, by=by)
        return f"Assigned to {owner}."

    def resolve(self, request: HttpRequest, matter: Case) -> str:
        """Say what became of it. Raises the refusals of `matters.resolve`."""
        words = request.POST.get("words", "")
        cases.resolve_case(
            matter.pk, operator=matter.operator_id, resolution=words, by=memberships.staff_actor(request.user)
        )
        return "Resolved."

    @admin.display(description="matter")
    def title(self, matter: Case) -> str:
        return matter.kind.replace("_", " ")

    @admin.display(description="status")
    def standing(self, matter: Any) -> SafeString:
        return html.badge(matter.last_act or "open", _TONES[matter.last_act])

    @admin.display(description="operator")
    def operator(self, matter: Case) -> SafeString | str:
        return html.page("operator", matter.operator_id, scope.slug(matter.operator_id))

    @admin.display(description="owner")
    def owner_(self, matter: Any) -> str:
        return staff_names.named(matter.owner or html.NOTHING)

    @admin.display(description="found (UTC)")
    def when(self, matter: Case) -> SafeString | str:
        """When it was found."""
        return html.moment(matter.opened_at)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show what was found, what was done about it, and the forms for those who work on it."""
        kind, _, identity = obj.subject.partition(" ")[0].partition(":")
        facts = (
            ("Matter", self.title(obj)),
            ("Status", self.standing(obj)),
            ("About", html.page(kind, identity) if identity else obj.subject),
            ("In full", obj.subject),
            ("Operator", self.operator(obj)),
            ("Owner", self.owner_(obj)),
            ("Found (UTC)", self.when(obj)),
            ("Id", html.code(obj.pk)),
        )
        told = [(name.replace("_", " "), str(value)) for name, value in obj.details.items()]
        acts = [
            (html.moment(act.at), act.action, act.owner, act.resolution or html.NOTHING, act.by)
            for act in CaseAction.objects.filter(case_id=obj.pk).order_by("number")
        ]
        done = Grid("What was done", ("Time (UTC)", "Act", "Owner", "In words", "By"), acts)
        return (Facts("Matter", facts), Facts("What was found", told), done, *self._forms(request, obj))

    def _forms(self, request: HttpRequest, matter: Any) -> Sequence[Section]:
        if matter.last_act == cases.RESOLVED or not request.user.has_perm(WORK):
            return ()
        owner = Field("owner", "Owner (empty: yourself)", required=False, longest=60)
        words = Field("words", "What it was, and what was done about it", lines=3)
        return (
            Form("Assign", "Assign", self.perform_url("assign", matter), (owner,)),
            Form("Resolve", "Resolve", self.perform_url("resolve", matter), (words,), tone="good"),
        )
