"""Significant events as compliance works on them: a list, a page with before and after, acknowledgements and notes."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Q, QuerySet, TextField, Value, When
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages import significant_parts, significant_subjects
from casino.backoffice.sections import Facts, Field, Form, Section
from casino.significant import notes
from casino.significant.kinds import DESCRIPTIONS, INSTALLATION_WIDE, Severity, SignificantEventKind
from casino.significant.models import SignificantEvent

ACKNOWLEDGE: Final = "significant.acknowledge_significantevent"
_KEPT: Final = "(kept for good: name no player, unless the event is about one)"
_STANDINGS: Final = {"waiting": "Waits for somebody", "done": "Acknowledged, or for information"}


@admin.register(SignificantEvent)
class SignificantEventAdmin(ReadOnlyAdmin):
    """Significant events, newest first; `waiting` is the queue of those to acknowledge."""

    list_display = ("title", "graveness", "what", "about", "why", "amount", "operator", "when", "standing")
    list_filter = (
        chosen(title="operator", parameter="operator", choices=scope.names, where=lambda value: Q(operator_id=value)),
        chosen(
            title="standing",
            parameter="standing",
            choices=_STANDINGS,
            where=lambda value: Q(significant_parts.waits()) if value == "waiting" else ~Q(significant_parts.waits()),
        ),
        chosen(
            title="severity",
            parameter="severity",
            choices={severity.value: severity.value.capitalize() for severity in Severity},
            where=lambda value: Q(severity=value),
        ),
        chosen(title="kind", parameter="kind", choices=significant_parts.KINDS, where=lambda value: Q(kind=value)),
        since_by_uuid(),
    )
    ordering = ("-id",)
    search_help_text = "number, id, or the id of a round, a table or a player"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add whether each one waits, and what its operator is called."""
        named = [When(operator_id=key, then=Value(slug)) for key, slug in scope.names(request).items()]
        rows: QuerySet[Any] = super().get_queryset(request)
        slug = Case(*named, default=Value(""), output_field=TextField())
        marked: QuerySet[Any] = rows.annotate(waits=significant_parts.waits(), slug=slug)
        return marked

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Find what is of these operators, and what happened to the whole installation that they are on; all
        of the house's where these are all operators.
        """
        of_house = Q(operator_id__isnull=True)
        shown = of_house if scope.is_everyone(operators) else of_house & Q(kind__in=INSTALLATION_WIDE)
        return super().owned_by(operators) | shown

    def get_changelist(
        self, request: HttpRequest, **kwargs: Any
    ) -> type[significant_subjects.SignificantEventChangeList]:
        """Have events listed with what they are about."""
        del request, kwargs
        return significant_subjects.SignificantEventChangeList

    def found_by(self, term: str) -> Q | None:
        """Look for a number, an id, or what an event is about."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(number=number)
        return Q(subject=term) if identity is None else Q(pk=identity) | about(identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `acknowledge` and `note`."""
        return [
            self.perform_path("acknowledge", ACKNOWLEDGE, self.acknowledge),
            self.perform_path("note", ACKNOWLEDGE, self.note),
            *super().get_urls(),
        ]

    def acknowledge(self, request: HttpRequest, event: SignificantEvent) -> str:
        """Acknowledge an event, and with `alike` others like it. Raises AlreadyAcknowledged, and
        PermissionDenied for one of the house's to who does not work for all of it.
        """
        _require_own(request, event)
        note = request.POST.get("note", "")
        notes.acknowledge(event.pk, by=_staff(request), note=note)
        if request.POST.get("alike") != "yes":
            return f"Acknowledged significant event {event.number}."
        alike = self.get_queryset(request).filter(waits=True, kind=event.kind, operator_id=event.operator_id)
        found = list(alike.values_list("pk", flat=True)[: notes.MAX_BATCH])
        return f"Acknowledged {1 + notes.acknowledge_many(found, by=_staff(request), note=note)} significant events."

    def note(self, request: HttpRequest, event: SignificantEvent) -> str:
        """Add a note to an event. Raises NoteIsEmpty, PermissionDenied as `acknowledge` does."""
        _require_own(request, event)
        notes.add_note(event.pk, by=_staff(request), note=request.POST.get("note", ""))
        return f"Added a note to significant event {event.number}."

    @admin.display(description="no.")
    def title(self, event: SignificantEvent) -> str:
        return str(event.number)

    @admin.display(description="severity")
    def graveness(self, event: SignificantEvent) -> SafeString:
        return significant_parts.graveness(event)

    @admin.display(description="event")
    def what(self, event: SignificantEvent) -> str:
        return significant_parts.words(event)

    @admin.display(description="about")
    def about(self, event: Any) -> SafeString | str:
        return significant_subjects.subject_link(event.subject, event.known)

    @admin.display(description="operator")
    def operator(self, event: Any) -> SafeString | str:
        return html.page("operator", event.operator_id, event.slug or "operator")

    @admin.display(description="by")
    def who(self, event: Any) -> SafeString | str:
        return significant_subjects.subject_link(event.actor, event.known)

    @admin.display(description="reason")
    def why(self, event: SignificantEvent) -> str:
        return event.reason if len(event.reason) <= 60 else f"{event.reason[:59]}…"

    @admin.display(description="amount")
    def amount(self, event: SignificantEvent) -> SafeString | str:
        return html.money(event.amount, event.currency)

    @admin.display(description="time (UTC)")
    def when(self, event: SignificantEvent) -> SafeString | str:
        """When it was recorded."""
        return html.moment(event.at)

    @admin.display(description="standing")
    def standing(self, event: Any) -> SafeString | str:
        """Whether it waits for somebody."""
        return html.badge("waiting", "warn") if event.has_suspended_round else html.NOTHING

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show an event with what it changed, and what was said about it."""
        obj.known = significant_subjects.names((obj.subject, obj.actor, obj.authorised_by))
        facts = (
            ("Event", significant_parts.words(obj)),
            ("Severity", significant_parts.graveness(obj)),
            (
                "Component",
                DESCRIPTIONS[SignificantEventKind(obj.kind)].component
                if obj.kind in significant_parts.KINDS
                else html.NOTHING,
            ),
            ("Standing", self.standing(obj)),
            ("About", self.about(obj)),
            ("Operator", self.operator(obj)),
            ("Time (UTC)", html.moment(obj.at, fine=True)),
            ("By", self.who(obj)),
            ("Authorised by", significant_subjects.subject_link(obj.authorised_by, obj.known) or html.NOTHING),
            ("Reason", obj.reason or html.NOTHING),
            ("Amount", self.amount(obj)),
            ("Network address", obj.address or html.NOTHING),
            ("Number", str(obj.number)),
            ("In the log", self.logged(obj)),
            ("Id", html.code(obj.pk)),
            ("Others", html.listing("significant_significantevent", "about the same", q=obj.subject)),
        )
        return (
            Facts("Significant event", facts),
            *significant_parts.changed(obj),
            *((significant_parts.said(obj), *self._forms(request, obj)) if _is_own(request, obj) else ()),
        )

    def logged(self, event: SignificantEvent) -> SafeString | str:
        """Which event of the log it was read from, and when that was recorded."""
        after = event.after or {}
        if "log_position" not in after:
            return html.NOTHING
        place = html.listing("events_event", f"#{after['log_position']}", q=str(after["log_position"]))
        return format_html("{} at {}", place, html.moment(datetime.fromisoformat(after["logged_at"])))

    def _forms(self, request: HttpRequest, event: Any) -> Sequence[Section]:
        if not request.user.has_perm(ACKNOWLEDGE):
            return ()
        remark = Field("note", f"Remark {_KEPT}", required=False, longest=notes.MAX_NOTE_LENGTH, lines=3)
        alike = Field("alike", "And all others of this kind and operator that wait", mark=True)
        note = Field("note", f"Note {_KEPT}", longest=notes.MAX_NOTE_LENGTH, lines=3)
        at_once = Form(
            "Acknowledge",
            "Acknowledge",
            self.perform_url("acknowledge", event),
            (remark, alike),
            "You have seen it, and done what is to be done. It is kept with your name and the time.",
            tone="good",
        )
        later = Form("Add a note", "Add the note", self.perform_url("note", event), (note,))
        return (at_once, later) if event.has_suspended_round else (later,)


def _is_own(request: HttpRequest, event: SignificantEvent) -> bool:
    """What is of the house is worked on, and talked about, by those who work for all of it."""
    return event.operator_id is not None or scope.is_everyone(scope.operators(request))


def _require_own(request: HttpRequest, event: SignificantEvent) -> None:
    if not _is_own(request, event):
        raise PermissionDenied


def about(identity: UUID) -> Q:
    """Find what was recorded about a round, a table, a player … of this id."""
    kinds = ("round", "table", "player", "operator", "adjustment", "deposit", "withdrawal", "account")
    return Q(subject__in=[f"{kind}:{identity}" for kind in kinds])


def _staff(request: HttpRequest) -> str:
    return f"staff:{request.user.pk}"
