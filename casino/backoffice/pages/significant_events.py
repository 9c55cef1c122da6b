"""Significant events: the queue, a page with before and after, acknowledgements and notes."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, hand_over
from casino.backoffice.base import as_number, as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, column, money_column, staff_column, status_column, time_column
from casino.backoffice.filters import case_filter, choice_filter, enum_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import AssignForm, NoteActionForm, RowForm, text_field
from casino.backoffice.sections import Grid, Section
from casino.backoffice.subjects import Names, subject_link, subject_names
from casino.crypto import crypto_shredding
from casino.operators import memberships
from casino.significant import notes
from casino.significant.models import Note, SignificantEvent, Unacknowledged
from casino.significant.recorder import DESCRIPTIONS, INSTALLATION_WIDE, Severity, SignificantEventKind

ACKNOWLEDGE: Final = "significant.acknowledge_significantevent"
MAX_LATEST: Final = 20
"""Significant events that another page shows of its subject."""
_RECORDED: Final = "(kept permanently: do not name a player, unless the event is about one)"
_WAITING: Final = Exists(Unacknowledged.objects.filter(event_id=OuterRef("pk")))
_STATES: Final = {"waiting": ("Waiting", Q(_WAITING)), "done": ("Acknowledged, or for information", ~Q(_WAITING))}
_TONES: Final = {Severity.NOTICE.value: "player", Severity.WARNING.value: "warn", Severity.CRITICAL.value: "bad"}
_KINDS: Final = {
    kind.value: DESCRIPTIONS[kind].title
    for kind in sorted(SignificantEventKind, key=lambda kind: DESCRIPTIONS[kind].title)
}
_LOG_PLACE: Final = frozenset({"log_position", "logged_at"})
"""Position and time of an event in the log, which are not changes."""
_LINKED: Final = frozenset({"player", "round", "table"})
"""Values that are ids of rows with a page."""
_SUBJECTS: Final = (
    "round",
    "table",
    "player",
    "operator",
    "adjustment",
    "deposit",
    "withdrawal",
    "transfer",
    "account",
)


class AcknowledgeForm(RowForm):
    note = text_field(f"Note {_RECORDED}", max_length=notes.MAX_NOTE_LENGTH, rows=3, required=False)
    alike = forms.BooleanField(label="Also all others of this kind and operator that wait", required=False)


class NoteForm(RowForm):
    note = text_field(f"Note {_RECORDED}", max_length=notes.MAX_NOTE_LENGTH, rows=3)


def _is_own(request: HttpRequest, event: SignificantEvent) -> bool:
    """Return whether the user may work on an event: those of the installation need all operators."""
    return event.operator_id is not None or scope.are_all_operators(scope.operators(request))


class AssignEventForm(AssignForm):
    def may_own(self, person: str) -> bool:
        """Return whether somebody had no part in the event."""
        return person not in {self.row.actor, self.row.authorised_by}


def _did(request: HttpRequest, event: SignificantEvent) -> bool:
    return memberships.staff_actor(request.user) in {event.actor, event.authorised_by}


def kind_title(event: SignificantEvent) -> str:
    """Name an event's kind; one of a later release by its code."""
    return _KINDS.get(event.kind, event.kind.replace("_", " "))


def _severity(event: SignificantEvent) -> SafeString:
    return html.badge(event.severity, _TONES.get(event.severity, "plain"))


def _waiting(event: Any) -> SafeString | None:
    return html.badge("waiting", "warn") if event.waits else None


@admin.register(SignificantEvent)
class SignificantEventAdmin(LabelledRowsAdmin):
    """Significant events, newest first; the filter `Waiting` is the queue of those to acknowledge."""

    names = ("operator",)
    annotations = {"waits": _WAITING, "owner": notes.owner()}
    list_display = (
        "number",
        "severity_",
        "title",
        "about",
        "reason_",
        "amount_",
        "operator",
        "time",
        "status",
        "owner_",
    )
    list_filter = (
        operator_filter(),
        case_filter("status", _STATES),
        enum_filter(Severity, "severity"),
        choice_filter("kind", choices=_KINDS, where=lambda value: Q(kind=value)),
        since_by_uuid(),
    )
    search_help_text = "number, id, or the id of a round, a table or a player"
    severity_ = status_column(_TONES, "severity", "severity")
    title = column("event", kind_title)
    about = column("about", lambda event: subject_link(event.subject, event.names))
    reason_ = column("reason", lambda row: row.reason if len(row.reason) <= 60 else f"{row.reason[:59]}…")
    amount_ = money_column("amount", "amount")
    time = time_column("at", "time")
    status = column("status", _waiting)
    owner_ = staff_column("owner", "handed to")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Add events of the whole installation: some kinds for all staff, all kinds for staff of all operators."""
        shared = Q(operator_id__isnull=True)
        visible = shared if scope.are_all_operators(operators) else shared & Q(kind__in=INSTALLATION_WIDE)
        return super().owned_by(operators) | visible

    def prepare_rows(self, rows: Any) -> None:
        names = subject_names(event.subject for event in rows)
        for event in rows:
            event.names = names

    def search_condition(self, term: str) -> Q | None:
        """Search for a number, an id, or what an event is about."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(number=number)
        if identity is None:
            return Q(subject=term)
        return Q(pk=identity) | Q(subject__in=[f"{kind}:{identity}" for kind in _SUBJECTS])

    actions = ("acknowledge_selected",)
    action_form = NoteActionForm

    def has_acknowledge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(ACKNOWLEDGE)

    @admin.action(description="Acknowledge", permissions=["acknowledge"])
    def acknowledge_selected(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Acknowledge those selected that wait, with one note."""
        waiting = [event for event in rows.filter(waits=True) if _is_own(request, event)]
        events = [event for event in waiting if not _did(request, event)]
        by, note = memberships.staff_actor(request.user), request.POST.get("note", "")
        done = notes.acknowledge_many([event.pk for event in events], by=by, note=note)
        for event in events:
            self.log_change(request, event, f"Acknowledged significant event {event.number} with others.")
        messages.success(request, f"Acknowledged {done} significant events.")
        if own := len(waiting) - len(events):
            messages.warning(request, f"{own} of them you did or authorised yourself: a colleague acknowledges these.")

    @RowAction(
        "Acknowledge",
        permission=ACKNOWLEDGE,
        form=AcknowledgeForm,
        applies=lambda request, event: event.waits and _is_own(request, event) and not _did(request, event),
        tone="good",
        help_text="You have seen it and done what has to be done. Your name and the time are recorded.",
    )
    def acknowledge(self, request: HttpRequest, event: SignificantEvent, data: dict[str, Any]) -> str:
        """Acknowledge an event, and with `alike` others like it. Raises PermissionDenied."""
        _require_own(request, event)
        by, note = memberships.staff_actor(request.user), data["note"]
        notes.acknowledge(event.pk, by=by, note=note)
        if not data["alike"]:
            return f"Acknowledged significant event {event.number}."
        alike = self.get_queryset(request).filter(waits=True, kind=event.kind, operator_id=event.operator_id)
        events = list(alike.values_list("pk", flat=True)[: notes.MAX_BATCH])
        return f"Acknowledged {1 + notes.acknowledge_many(events, by=by, note=note)} significant events."

    @RowAction(
        "Hand over",
        permission=ACKNOWLEDGE,
        form=AssignEventForm,
        applies=lambda request, event: event.waits and _is_own(request, event),
    )
    def assign(self, request: HttpRequest, event: SignificantEvent, data: dict[str, Any]) -> str:
        """Hand an event over. Raises PermissionDenied."""
        _require_own(request, event)
        return hand_over(request, kind_title(event), data["owner"], partial(notes.assign, event.pk))

    @RowAction("Add the note", title="Add a note", permission=ACKNOWLEDGE, form=NoteForm, applies=_is_own)
    def note(self, request: HttpRequest, event: SignificantEvent, data: dict[str, Any]) -> str:
        """Add a note to an event. Raises PermissionDenied."""
        _require_own(request, event)
        notes.add_note(event.pk, by=memberships.staff_actor(request.user), note=data["note"])
        return f"Added a note to significant event {event.number}."

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show an event with what it changed, and its notes."""
        names = subject_names((obj.subject, obj.actor, obj.authorised_by))
        component = DESCRIPTIONS[SignificantEventKind(obj.kind)].component if obj.kind in _KINDS else None
        facts = self.facts(
            obj,
            *("title", "severity_"),
            ("Component", component),
            *("status", "owner_"),
            ("About", subject_link(obj.subject, names)),
            "operator",
            ("Time", html.moment(obj.at, fine=True)),
            ("By", subject_link(obj.actor, names)),
            ("Authorised by", subject_link(obj.authorised_by, names)),
            *("reason", "amount_"),
            ("Network address", obj.address),
            ("Number", str(obj.number)),
            ("In the log", _log_place(obj)),
            "pk",
            ("Others", html.listing("significant_significantevent", "about the same", q=obj.subject)),
        )
        own = (_notes(obj),) if _is_own(request, obj) else ()
        return (facts, *_changes(obj), *own)


def _require_own(request: HttpRequest, event: SignificantEvent) -> None:
    if not _is_own(request, event):
        raise PermissionDenied


def _log_place(event: SignificantEvent) -> SafeString | None:
    after = event.after or {}
    if "log_position" not in after:
        return None
    place = html.listing("events_event", f"#{after['log_position']}", q=str(after["log_position"]))
    return format_html("{} at {}", place, html.moment(datetime.fromisoformat(after["logged_at"])))


def _changes(event: SignificantEvent) -> Sequence[Section]:
    """Show what an event changed, before and after; nothing for one that changed nothing."""
    before, after = event.before or {}, event.after or {}
    changed = sorted((before.keys() | after.keys()) - _LOG_PLACE)
    if not changed:
        return ()
    names = subject_names(f"{name}:{values[name]}" for values in (before, after) for name in _LINKED & values.keys())
    rows = [
        (
            name.replace("_", " "),
            _value(name, before.get(name), names),
            _value(name, after.get(name), names),
            "yes" if name in before and name in after and before[name] != after[name] else "",
        )
        for name in changed
    ]
    return (Grid("Changes", ("Value of", "Before", "After", "Changed"), rows),)


def _value(name: str, value: object, names: Names) -> SafeString | str | None:
    if name in _LINKED and value:
        return subject_link(f"{name}:{value}", names)
    if isinstance(value, list):
        return " ".join(str(each) for each in value)
    return None if value is None or value == "" else html.code(value)


def _notes(event: SignificantEvent) -> Grid:
    entries = list(Note.objects.filter(event_id=event.pk).order_by("pk"))
    crypto_shredding.decrypt_rows(entries)
    rows = [
        (
            entry.at,
            entry.by,
            _kind_of(entry),
            entry.text,
        )
        for entry in entries
    ]
    return Grid("Notes", ("Time", "By", "", "Note"), rows, empty="No notes yet.")


def _kind_of(entry: Note) -> SafeString | str:
    if entry.acknowledges:
        return html.badge("acknowledged", "good")
    return f"handed over to {html.with_logins(entry.owner)}" if entry.owner else "note"


def latest_significant(title: str, *subjects: str) -> Grid:
    """Show the latest significant events about or by these subjects, for other pages; few queries."""
    condition = Q(subject__in=subjects) | Q(actor__in=subjects)
    events = list(SignificantEvent.objects.filter(condition).annotate(waits=_WAITING).order_by("-id")[:MAX_LATEST])
    crypto_shredding.decrypt_rows(events)
    names = subject_names(event.actor for event in events)
    rows = [
        (
            event.at,
            html.page("significant", event.pk, kind_title(event)),
            _severity(event),
            html.money(event.amount, event.currency),
            event.reason,
            subject_link(event.actor, names),
            _waiting(event),
        )
        for event in events
    ]
    headers = ("Time", "Event", "Severity", "Amount", "Reason", "By", "Status")
    return Grid(title, headers, rows, empty="No significant events.", numeric=frozenset({"Amount"}))
