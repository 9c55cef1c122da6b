"""The event log: events with their positions, and timelines of streams for other pages."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.columns import column, time_column
from casino.backoffice.filters import case_filter, since_by_serial
from casino.backoffice.sections import Facts, Grid, Section, TemplateSection
from casino.events import store
from casino.events.models import Event, Seal, Unsealed
from casino.events.records import RecordedEvent

MAX_EVENTS: Final = 300
"""Events of one stream that a page shows; its list shows the others."""


def sealed_position(position: int | None) -> SafeString | str:
    """Print the position of an event, or that it waits."""
    return html.badge("waiting", "warn") if position is None else f"#{position}"


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Every event, newest first. Found by id, position, stream, or the id of a table, a round or a player."""

    list_display = ("type", "stream_link", "version", "recorded", "sealed")
    list_filter = (
        since_by_serial("events_event"),
        case_filter("seal", {"waiting": ("Waiting for sealing", Q(id__in=Unsealed.objects.values("event_id")))}),
    )
    ordering = ("-id",)
    search_help_text = "id, sealed position, stream, or the id of a round, a table or a player"
    stream_link = column("stream", lambda event: html.stream(event.stream))
    recorded = time_column("recorded_at", "recorded", fine=True)
    sealed = column("position", lambda event: sealed_position(event.position))

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select by the operator in each event's metadata."""
        return Q(metadata__operator__in=[str(operator) for operator in operators])

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Reach back `scope.SPAN` rows, and further for what is searched."""
        rows = queryset if search_term.strip() else queryset.filter(scope.latest(Event, request))
        return super().get_search_results(request, rows, search_term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Add each event's position, in the same query."""
        seal = Seal.objects.filter(event_id=OuterRef("pk"))
        rows: QuerySet[Event] = super().get_queryset(request)
        return rows.annotate(position=Subquery(seal.values("position")))

    def search_condition(self, term: str) -> Q | None:
        """Search for a number among ids and positions, and for anything else among streams."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(pk=number) | Q(pk__in=Seal.objects.filter(position=number).values("event_id"))
        if identity is not None:
            return Q(stream__in=[f"{kind}-{identity}" for kind in html.PAGES])
        return Q(stream=term)

    def sections(self, _request: HttpRequest, obj: Event) -> Sequence[Section]:
        """Show an event in full: facts, seal, data, metadata."""
        facts = (
            ("Type", f"{obj.type}, schema {obj.schema}"),
            ("Stream", html.stream(obj.stream)),
            ("Version", f"{obj.version}"),
            ("Id", str(obj.pk)),
            ("Recorded (UTC)", self.recorded(obj)),
            ("See also", html.event_log(obj.stream, "all events of this stream")),
        )
        return (
            Facts("Event", facts),
            Facts("Seal", _seal(obj.pk)),
            _json("Data", obj.data),
            _json("Metadata", obj.metadata),
        )


def _seal(event: int) -> list[tuple[str, object]]:
    seal = Seal.objects.filter(event_id=event).first()
    if seal is None:
        return [("Position", html.badge("Waiting for sealing", "warn"))]
    previous = Seal.objects.filter(position=seal.position - 1).first()
    return [
        ("Position", f"#{seal.position}"),
        ("Digest", html.code(bytes(seal.digest).hex())),
        ("Previous digest", html.NOTHING if previous is None else html.code(bytes(previous.digest).hex())),
    ]


def _json(title: str, value: Any) -> TemplateSection:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return TemplateSection(title, "admin/casino/json.html", {"text": text})


def positions(events: Sequence[int]) -> Mapping[int, int]:
    """Return the sealed positions of events, by event id; those that wait are left out."""
    return dict(Seal.objects.filter(event_id__in=events).values_list("event_id", "position"))


def timeline(title: str, events: Sequence[RecordedEvent], sentences: Mapping[int, str]) -> Grid:
    """Show events with their sentences, by event id, with version, time and sealed position."""
    sealed = positions([event.id for event in events])
    rows = [
        (
            str(event.version),
            html.moment(event.recorded_at, fine=True),
            sentences[event.id],
            html.page("event", event.id, event.type),
            sealed_position(sealed.get(event.id)),
        )
        for event in events
    ]
    headers = ("Version", "Time (UTC)", "What happened", "Event", "Position")
    return Grid(title, headers, rows, empty="No events.")


def latest_events(stream: str) -> list[RecordedEvent]:
    """Read the last MAX_EVENTS events of a stream, in order."""
    last = Event.objects.filter(stream=stream).order_by("-version").values_list("version", flat=True).first() or 0
    return store.read(stream, after=max(0, last - MAX_EVENTS))
