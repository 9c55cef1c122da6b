"""The log as staff see it: events with their seals, the heads of the chain, and how far subscribers have read."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.filters import chosen, since_by_serial
from casino.backoffice.sections import Facts, Grid, Piece, Section
from casino.events import store
from casino.events.models import Event, ChainHead, Seal, Subscription, Unsealed
from casino.events.records import RecordedEvent

WAITING: Final = "waiting for its seal"
MOST_EVENTS: Final = 300
"""Events that a page shows of one stream; its list shows the others."""

SealFilter = chosen(
    title="seal",
    parameter="seal",
    choices={"waiting": "Waiting"},
    where=lambda _: Q(id__in=Unsealed.objects.values("event_id")),
)


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Every event, newest first. Found by id, position, stream, or the id of a table, a round or a player."""

    list_display = ("name", "about", "version", "time", "sealed")
    list_filter = (since_by_serial("events_event"), SealFilter)
    ordering = ("-id",)
    search_help_text = "id, sealed position, stream, or the id of a round, a table or a player"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Go by what each event remembers of its operator."""
        return Q(metadata__operator__in=[str(operator) for operator in operators])

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Reach back so far as `scope.SPAN`, and further for what is searched."""
        rows = queryset if search_term.strip() else queryset.filter(scope.latest(Event, request))
        return super().get_search_results(request, rows, search_term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Add each event's position, in the same query."""
        seal = Seal.objects.filter(event_id=OuterRef("pk"))
        rows: QuerySet[Event] = super().get_queryset(request)
        return rows.annotate(position=Subquery(seal.values("position")))

    def found_by(self, term: str) -> Q | None:
        """Look for a number among ids and positions, and for anything else among streams."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(pk=number) | Q(pk__in=Seal.objects.filter(position=number).values("event_id"))
        if identity is not None:
            return Q(stream__in=[f"{kind}-{identity}" for kind in settings.ADMIN_PAGES])
        return Q(stream=term)

    @admin.display(description="event")
    def name(self, event: Event) -> str:
        return event.type

    @admin.display(description="stream")
    def about(self, event: Event) -> SafeString | str:
        """The stream, with a link to what it is about."""
        return html.stream(event.stream)

    @admin.display(description="recorded (UTC)")
    def time(self, event: Event) -> SafeString | str:
        """When it was recorded."""
        return html.moment(event.recorded_at, fine=True)

    @admin.display(description="position")
    def sealed(self, event: Any) -> SafeString | str:
        """The position it was sealed at."""
        return html.badge("waiting", "warn") if event.position is None else f"#{event.position}"

    def sections(self, request: HttpRequest, obj: Event) -> Sequence[Section]:
        """Show an event whole: facts, seal, data, metadata."""
        del request
        every = html.listing("events_event", "all events of this stream", q=obj.stream)
        facts = (
            ("Type", f"{obj.type}, schema {obj.schema}"),
            ("Stream", html.stream(obj.stream)),
            ("Version", f"{obj.version}"),
            ("Id", str(obj.pk)),
            ("Recorded (UTC)", html.moment(obj.recorded_at, fine=True)),
            ("See also", every),
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
        return [("Position", html.badge(WAITING, "warn"))]
    before = Seal.objects.filter(position=seal.position - 1).first()
    return [
        ("Position", f"#{seal.position}"),
        ("Digest", html.code(bytes(seal.digest).hex())),
        ("Digest before", html.NOTHING if before is None else html.code(bytes(before.digest).hex())),
    ]


def _json(title: str, value: Any) -> Piece:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return Piece(title, "admin/casino/json.html", {"text": text})


def positions(events: Sequence[int]) -> Mapping[int, int]:
    """Return the sealed positions of events, by event id; those that wait are left out."""
    return dict(Seal.objects.filter(event_id__in=events).values_list("event_id", "position"))


def timeline(title: str, events: Sequence[RecordedEvent], words: Mapping[int, str]) -> Grid:
    """Tell events in words, which are given by event id, with version, time and sealed position."""
    sealed = positions([event.id for event in events])
    rows = [
        (
            str(event.version),
            html.moment(event.recorded_at, fine=True),
            words[event.id],
            html.page("event", event.id, event.type),
            f"#{sealed[event.id]}" if event.id in sealed else html.badge("waiting", "warn"),
        )
        for event in events
    ]
    headers = ("Version", "Time (UTC)", "What happened", "Event", "Position")
    return Grid(title, headers, rows, empty="No events.")


def latest(stream: str) -> list[RecordedEvent]:
    """Read the last MOST_EVENTS events of a stream, in order."""
    last = Event.objects.filter(stream=stream).order_by("-version").values_list("version", flat=True).first() or 0
    return store.read(stream, after=max(0, last - MOST_EVENTS))


@admin.register(ChainHead)
class HeadmarkAdmin(ReadOnlyAdmin):
    """The head of the chain after each pass of the sealer, newest first. Found by position."""

    list_display = ("head", "hexadecimal", "time")
    ordering = ("-position",)
    search_help_text = "position"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Let everyone who may look at heads look at all: they are digests, and nobody's."""
        del operators
        return Q()

    def found_by(self, term: str) -> Q | None:
        """Look for a position."""
        number = as_number(term)
        return None if number is None else Q(pk=number)

    @admin.display(description="position")
    def head(self, mark: ChainHead) -> str:
        return f"#{mark.position}"

    @admin.display(description="digest")
    def hexadecimal(self, mark: ChainHead) -> SafeString:
        return html.code(bytes(mark.digest).hex())

    @admin.display(description="sealed (UTC)")
    def time(self, mark: ChainHead) -> SafeString | str:
        """When the pass was sealed."""
        return html.moment(mark.sealed_at, fine=True)

    def sections(self, request: HttpRequest, obj: ChainHead) -> Sequence[Section]:
        """Show one head beside the seal that stands at its position."""
        del request
        seal = Seal.objects.filter(position=obj.position).first()
        found = None if seal is None else bytes(seal.digest).hex()
        agrees = found == bytes(obj.digest).hex()
        facts = (
            ("Position", f"#{obj.position}"),
            ("Digest noted", self.hexadecimal(obj)),
            ("Digest in the log", html.badge("missing", "bad") if found is None else html.code(found)),
            ("Verdict", html.badge("agree", "good") if agrees else html.badge("the log was changed", "bad")),
            ("Sealed (UTC)", self.time(obj)),
            ("Event", html.NOTHING if seal is None else html.page("event", seal.event_id)),
        )
        return (Facts("Head of the chain", facts),)


@admin.register(Subscription)
class SubscriptionAdmin(ReadOnlyAdmin):
    """How far each subscriber has read."""

    list_display = ("name", "position")
    ordering = ("name",)
    search_help_text = "name"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Keep subscribers, who read for every operator, to superusers."""
        del operators
        return Q(pk__in=())

    def found_by(self, term: str) -> Q | None:
        """Look for a subscriber of this name."""
        return Q(pk=term)

    def sections(self, request: HttpRequest, obj: Subscription) -> Sequence[Section]:
        """Show how far behind the head a subscriber is."""
        del request
        head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
        facts = (
            ("Name", obj.name),
            ("Has read to", f"#{obj.position}"),
            ("Head of the log", f"#{head}"),
            ("Behind by", f"{head - obj.position} events"),
        )
        return (Facts("Subscriber", facts),)
